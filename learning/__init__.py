"""Training: PPO presets, the policy network, checkpoints and the callbacks that write them."""
