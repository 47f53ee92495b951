"""The `servogym` command: one module a sub-command, `text` for what they print."""
