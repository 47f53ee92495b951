"""Tasks: one file each, holding a record called `TASK`."""
