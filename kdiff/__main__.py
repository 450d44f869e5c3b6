"""`python -m kdiff`."""
