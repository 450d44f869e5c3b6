"""Settings files (`kdiff.toml`, `[tool.kdiff]` of pyproject.toml) and the environment, into Options."""
