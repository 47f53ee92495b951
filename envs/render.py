"""Placeholder until the drawing is written."""


class Renderer:
    """Draws nothing."""

    def __init__(self, core, mode):
        """Keep nothing."""
