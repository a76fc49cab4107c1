"""Waiting for a condition, with a deadline that only a hang can reach."""

import time

PATIENCE = 180.0


def wait_until(condition, what, seconds=PATIENCE):
    """The first truthy answer of `condition`, asked again and again."""
    deadline = time.monotonic() + seconds
    pause = 0.002
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:.0f} s for {what}")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
