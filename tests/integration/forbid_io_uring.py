"""Runs a program that the kernel refuses io_uring, as most containers' seccomp profiles do:
python forbid_io_uring.py PROGRAM ARGUMENT..."""

import ctypes
import errno
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
IO_URING_SETUP = 425  # on every architecture


def instruction(code, if_true, if_false, value):
    return struct.pack("HBBI", code, if_true, if_false, value)


FILTER = b"".join([
    instruction(0x20, 0, 0, 0),                           # the system call's number
    instruction(0x15, 0, 1, IO_URING_SETUP),
    instruction(0x06, 0, 0, 0x00050000 | errno.EPERM),  # SECCOMP_RET_ERRNO
    instruction(0x06, 0, 0, 0x7FFF0000),                  # SECCOMP_RET_ALLOW
])


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def forbid():
    libc = ctypes.CDLL(None, use_errno=True)
    program = Program(len(FILTER) // 8, FILTER)
    for arguments in [(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
                      (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)]:
        if libc.prctl(*arguments) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    forbid()
    os.execv(sys.argv[1], sys.argv[1:])
