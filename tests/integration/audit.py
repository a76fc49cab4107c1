"""The audit log, read back."""

import json
import pathlib

from waiting import wait_until


def whole_lines(path):
    """The text in a tuple of one; an empty tuple if its last line isn't complete."""
    text = pathlib.Path(path).read_text()
    return (text,) if not text or text.endswith("\n") else None


def read_audit(path):
    """Every line; each must be a whole JSON object."""
    # A read during a write across two pages of the file may see only the first half.
    text = wait_until(lambda: whole_lines(path), "the last line to be whole")[0]
    return [json.loads(line) for line in text.splitlines()]


def counts_by(lines, *fields):
    """The sum of `count` by some of the fields of `param`."""
    sums = {}
    for line in lines:
        key = tuple(line["param"][field] for field in fields)
        sums[key] = sums.get(key, 0) + line["param"]["count"]
    return sums
