"""What travels with a policy: its contract and a small runner, without the training stack."""
