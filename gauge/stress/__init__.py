"""Many cells for one policy: in processes that may die, resumable, and none ever missing."""
