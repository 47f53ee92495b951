"""What is measured of a policy, one family a file: pure NumPy over records of arrays, no MuJoCo."""
