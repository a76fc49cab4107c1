"""Prometheus's text format, read back."""

import re

SAMPLE = re.compile(r'^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$', re.S)
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Metrics:
    """One scrape."""

    def __init__(self, text):
        self.text = text
        self._samples = []
        for line in text.split("\n"):  # a label may hold other breaks
            if not line or line.startswith("#"):
                continue
            name, labels, value = SAMPLE.match(line).groups()
            self._samples.append((name, dict(LABEL.findall(labels or "")), float(value)))

    def series(self, name, **labels):
        """(labels, value) of each series of `name` that has these labels."""
        return [(have, value) for each, have, value in self._samples
                if each == name and labels.items() <= have.items()]

    def total(self, name, **labels):
        return sum(value for _, value in self.series(name, **labels))

    def by(self, name, *keys, **labels):
        """Sums by the values of some labels; zeros are left out."""
        sums = {}
        for have, value in self.series(name, **labels):
            key = tuple(have[k] for k in keys)
            sums[key] = sums.get(key, 0) + value
        return {key: value for key, value in sums.items() if value}
