"""Scenes: a robot on its floor, compiled once, and the addresses of its parts."""
