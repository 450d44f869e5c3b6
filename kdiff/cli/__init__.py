"""The command: arguments in, reports written, exit status out."""
