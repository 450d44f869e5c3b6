"""YAML text and values: split a stream into documents, load one, dump one."""
