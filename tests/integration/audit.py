"""The audit log, read back."""

import json
import pathlib


def read_audit(path):
    """Every line; each must be a whole JSON object."""
    text = pathlib.Path(path).read_text()
    assert not text or text.endswith("\n"), "the last line isn't whole"
    return [json.loads(line) for line in text.splitlines()]


def counts_by(lines, *fields):
    """The sum of `count` by some of the fields of `param`."""
    sums = {}
    for line in lines:
        key = tuple(line["param"][field] for field in fields)
        sums[key] = sums.get(key, 0) + line["param"]["count"]
    return sums
