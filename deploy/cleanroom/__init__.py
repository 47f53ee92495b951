"""A simulation of its own for a policy file, which knows nothing but what the file says."""
