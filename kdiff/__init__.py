"""kdiff."""
