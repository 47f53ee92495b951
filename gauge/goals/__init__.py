"""What a policy is asked for: commands over time, nothing that needs a simulation."""
