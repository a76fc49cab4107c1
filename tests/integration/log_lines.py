"""The operational log, as a daemon writes it to standard error."""

import json


def lines_of(daemon, number):
    """The attributes of its lines with this id, with `s`, the severity."""
    found = []
    for line in daemon.stderr.splitlines():
        if line.startswith('{"t":') and line.endswith("}"):
            entry = json.loads(line)
            if entry["id"] == number:
                found.append({"s": entry["s"], **entry.get("attr", {})})
    return found


def await_one(daemon, number, subject=""):
    """The attributes of the only line with this id whose subject contains this."""
    daemon.await_line(rf'"id":{number}\b.*"subject":"[^"]*{subject}')
    [found] = [each for each in lines_of(daemon, number) if subject in each["subject"]]
    return found
