"""render_diff(): the stages in order, and the loop between targets and rendering. Read this first."""
