"""Which targets a tree holds, what rendered objects lead to, which target depends on which."""
