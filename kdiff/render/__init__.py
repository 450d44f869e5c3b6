"""Targets to YAML: plan a build, know what it reads, reuse or run it, substitute, name what failed."""
