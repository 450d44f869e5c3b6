"""`python -m kdiff`."""

from __future__ import annotations

from kdiff.cli.main import run

if __name__ == "__main__":
    run()
