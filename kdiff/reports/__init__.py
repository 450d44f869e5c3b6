"""A Report to text, one format a file."""
