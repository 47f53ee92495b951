"""Keeps PyTorch from fighting the physics for cores."""

import torch
from stable_baselines3.common.callbacks import BaseCallback


class TorchThreads(BaseCallback):
    """Uses one PyTorch thread while robots move and `threads` while gradients are computed."""

    def __init__(self, threads: int) -> None:
        """Prepare the switch.

        Args:
            threads: Threads during an update.
        """
        super().__init__()
        self._threads = self._before = threads

    def _on_training_start(self) -> None:
        self._before = torch.get_num_threads()

    def _on_rollout_start(self) -> None:
        torch.set_num_threads(1)

    def _on_rollout_end(self) -> None:
        torch.set_num_threads(self._threads)

    def _on_training_end(self) -> None:
        torch.set_num_threads(self._before)

    def _on_step(self) -> bool:
        return True
