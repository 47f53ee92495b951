"""Evaluation: what a policy does, measured from outside its rewards."""
