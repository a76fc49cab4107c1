"""The engines that workers may run on. A whole file runs on one with the variable TEST_ENGINE."""

import ctypes
import os
import pathlib
import sys

FORBID = [sys.executable, pathlib.Path(__file__).with_name("forbid_io_uring.py")]


def has_io_uring():
    """Whether the kernel has it and permits its use; then these arguments fail with another error."""
    io_uring_setup = 425
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall(io_uring_setup, 0, None)
    return ctypes.get_errno() not in (1, 38)  # EPERM, ENOSYS


def environment():
    """The settings that choose it for every daemon of this run."""
    engine = os.environ.get("TEST_ENGINE")
    return {"SCATTERGATE_WORKERS_ENGINE": engine} if engine else {}
