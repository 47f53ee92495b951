"""What a policy file passes before anyone trusts it: replays, noise, publish checks."""
