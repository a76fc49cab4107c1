"""Sketches (digest/sketches/) against exact counts and against Apache DataSketches, on the same streams."""

import collections
import json
import random
import subprocess

import datasketches
import pytest

from processes import program_path

PROBE = program_path("SCATTERGATE_SKETCH_PROBE", "tests/integration/sketch_probe")
COUNT = 60_000
CAPACITY = 40        # value_sketch::common
STANDARD_ERROR = 0.023  # cardinality


def stream(name):
    rng = random.Random(name)
    if name == "all distinct":
        return [f"{i:024x}" for i in range(COUNT)]
    if name == "one":
        return ["x"] * COUNT
    if name == "hot tenant":
        return ["big" if rng.random() < 0.4 else f"t{rng.randrange(9_000)}" for _ in range(COUNT)]
    _, values, exponent = name.split()
    return [str(v) for v in rng.choices(range(int(values)),
                                        [1 / (i + 1) ** float(exponent) for i in range(int(values))], k=COUNT)]


STREAMS = ["all distinct", "one", "hot tenant", "zipf 12000 0", "zipf 12000 0.7", "zipf 500 1", "zipf 50000 1.2",
           "zipf 40 0", "zipf 41 0", "zipf 100000 2"]


def sketched(values, parts):
    run = subprocess.run([PROBE, str(parts)], input="\n".join(values) + "\n", text=True, capture_output=True,
                         check=True)
    return json.loads(run.stdout)


@pytest.mark.parametrize("parts", [1, 7])
@pytest.mark.parametrize("name", STREAMS)
def test_sketches_keep_their_bounds(name, parts):
    values = stream(name)
    exact = collections.Counter(values)
    ours = sketched(values, parts)

    theirs = datasketches.hll_sketch(11, datasketches.HLL_8)
    frequent = datasketches.frequent_strings_sketch(6)
    for value in values:
        theirs.update(value)
        frequent.update(value)

    # Distinct values: as near to the truth as the error allows, and within reach of the oracle's bounds.
    assert ours["distinct"] == pytest.approx(len(exact), rel=4 * STANDARD_ERROR, abs=1)
    reach = 3 * STANDARD_ERROR * len(exact) + 1
    assert theirs.get_lower_bound(3) - reach <= ours["distinct"] <= theirs.get_upper_bound(3) + reach

    # Common values: bounds that hold, meet the oracle's, and miss no value above 1/CAPACITY.
    assert ours["total"] == COUNT
    listed = {value: (low, high) for value, low, high in ours["commonest"]}
    for value, (low, high) in listed.items():
        assert low <= exact[value] <= high
        assert high - low <= COUNT / CAPACITY
        assert low <= frequent.get_upper_bound(value) and frequent.get_lower_bound(value) <= high
    for value, count in exact.items():
        if count * CAPACITY > COUNT:
            assert value in listed
    common = frequent.get_frequent_items(datasketches.frequent_items_error_type.NO_FALSE_POSITIVES)
    for value, _, low, _ in common:
        if low * CAPACITY > COUNT:
            assert value in listed
