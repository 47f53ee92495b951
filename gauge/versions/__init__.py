"""The same scenes and policies in several versions of MuJoCo, each in an environment of its own."""
