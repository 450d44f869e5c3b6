"""Rendered YAML to keyed, masked objects."""
