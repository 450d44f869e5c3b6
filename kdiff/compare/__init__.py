"""Two sides to changes: pair objects, walk their fields, build and prove patches."""
