"""From what the user named (a directory, a git revision, files, standard input) to a Tree."""
