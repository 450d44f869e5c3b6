"""Rendered YAML to keyed, masked objects.

In: the YAML bytes of one target and the run's `Masker`. Out: `LoadedObjects`, whose values hold tokens where secrets stood.
"""
