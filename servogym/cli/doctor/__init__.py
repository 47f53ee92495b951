"""`servogym doctor`: looks at Python, packages, graphics and the installation itself."""
