"""The Markov decision processes: a batched core, its parts, its three faces and the tasks."""
