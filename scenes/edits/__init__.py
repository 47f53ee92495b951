"""Edits of a scene before it is built: plans that check everything, then one commit."""
