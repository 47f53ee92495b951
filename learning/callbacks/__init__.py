"""What happens around PPO's iterations, one idea a file."""
