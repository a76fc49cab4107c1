"""Holds the #include lines to the rows of docs/architecture.md and the rooms' README.md: which room may know which, which of
its folders may know which, and what of a room the others may know."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# room -> the rooms it may include
ROOMS = {
    "text": set(),
    "net": {"text"},
    "wire": set(),
    "routing": {"text", "wire"},
    "digest": {"text", "wire", "routing"},
    "advise": {"text", "wire", "routing", "digest"},
    "config": {"text", "net", "wire", "routing"},
    "fleet": {"text", "wire", "routing", "digest", "config"},
    "telemetry": {"text", "net", "wire", "routing", "digest", "advise", "config", "fleet"},
    "proxy": {"text", "net", "wire", "routing", "digest", "config", "fleet", "telemetry"},
    "report": {"text", "wire", "routing", "digest", "advise", "config", "fleet", "telemetry"},
    "sim": {"wire"},
    "app": {"text", "net", "wire", "routing", "digest", "advise", "config", "fleet", "telemetry", "proxy", "report"},
    "bench": {"text", "wire", "routing", "config", "telemetry"},
}

# The places that may include a library's headers: (pattern, rooms or folders, headers too?)
LIBRARIES = [
    (r"bson/", {"wire": False, "sim": False, "config": True}),
    (r"mongoc/", {"config/driver": False, "sim": False}),
    (r"(snappy|libdeflate|zlib|zstd)\.h$",
     {"wire": False, "report/sources": False, "telemetry/admin": False}),
    (r"openssl/", {"net": False, "routing": False, "sim": False, "bench": True}),
    (r"boost/asio", {"net": True, "proxy": True, "telemetry/admin": True, "sim": True, "app": False}),
    (r"boost/beast", {"telemetry/admin": True, "app": False}),
    (r"boost/json", {"config": False, "digest": True, "fleet": False, "telemetry": False, "report": False, "sim": True}),
    (r"liburing", {"net": True}),
    (r"pcap/", {"report/sources": False}),
    (r"simdjson", {"report/sources": True}),
    (r"spdlog/", {"telemetry": False}),
    (r"yaml-cpp/", {"config": False}),
    (r"CLI/", {"app": False, "sim": False}),
]

# room -> its places, the lowest first -> the places of the same room that each may include. A place may
# include only what stands above it in the table, so that no arrows run in circles. It is a sub-folder,
# or a group of the files at the room's top (FILES_ON_TOP).
PLACES = {
    "routing": {
        "ground": set(),
        "keys": {"ground"},
        "catalog": {"ground", "keys"},
        "stages": {"ground", "catalog"},
        "bounds": {"ground", "keys", "catalog", "stages"},
        "pipeline": {"ground", "catalog", "stages", "bounds"},
        "shape": {"ground", "stages"},
        "pattern": {"ground", "catalog"},
        "statements": {"ground", "catalog", "stages", "bounds", "pipeline", "shape"},
        "words": {"ground", "catalog", "stages", "shape"},
        "face": {"ground", "catalog", "statements"},
    },
    "digest": {
        "ground": set(),
        "sketches": {"ground"},
    },
    "config": {
        "text": set(),
        "driver": {"text"},
        "mongosh": {"text"},
        "baseline": {"text"},
        "cluster": {"text", "driver"},
        "options": {"text", "driver", "baseline"},
        "catalog_file": {"text", "options"},
    },
    "telemetry": {
        "ground": set(),
        "counters": {"ground"},
        "samples": set(),
        "log": {"ground"},
        "conditions": {"ground", "log"},
        "history": set(),
        "shapes": {"ground", "counters", "history"},
        "tap": {"counters", "shapes"},
        "sketches": {"ground"},
        "advice": {"ground", "log", "shapes", "sketches"},
        "accounts": {"ground", "log", "conditions", "shapes", "sketches"},
        "state": {"ground", "log", "conditions", "history", "shapes", "sketches", "accounts"},
        "fleet": {"ground", "log", "conditions", "shapes", "accounts", "state"},
        "audit": {"ground", "counters", "log", "conditions", "shapes", "accounts"},
        "metrics": {"counters", "samples", "conditions", "audit"},
        "admin": {"counters", "samples", "log", "conditions", "history", "shapes", "tap", "sketches",
                  "advice", "audit", "metrics"},
    },
    "proxy": {
        "throttle": set(),
        "ground": {"throttle"},
        "upstream": {"ground"},
        "sketching": set(),
        "judging": {"throttle", "ground", "upstream", "sketching"},
        "session": {"throttle", "ground", "upstream", "judging"},
        "takeover": set(),
        "face": {"throttle", "ground", "upstream", "judging", "session", "takeover"},
    },
    "report": {
        "sources": set(),
        "verify": set(),
        "baseline": set(),
        "compare": set(),
        "views": {"sources", "verify", "baseline", "compare"},
    },
    "sim": {
        "values": set(),
        "query": {"values"},
        "targeting": {"values", "query"},
        "storage": {"values", "query", "targeting"},
        "execution": {"values", "query", "targeting", "storage"},
        "commands": {"values", "query", "targeting", "storage", "execution"},
        "face": {"values", "execution"},
        "programs": {"values", "query", "targeting", "storage", "execution", "face"},
    },
}

FOLDERS = {(room, place): known for room, places in PLACES.items() for place, known in places.items()
           if place not in ("ground", "face")}

# The files at the top of a room that has folders: what the folders stand on, and what stands on them.
FILES_ON_TOP = {
    "routing": {"ground": {"command_kind", "command_table", "key_field_set", "name_slots", "scratch",
                           "shape_form", "shard_set", "verdict"},
                "face": {"classify"}},
    "digest": {"ground": {"breakdown", "callers", "cut_text", "describe", "example_values", "execution",
                          "fanout_counts", "filter_fields", "finding", "finding_action", "json", "json_parts", "judge", "labels",
                          "number_text", "pinned_values", "placeholder", "plain_filter", "ranking", "row", "second_judge",
                          "shape_command", "shape_values", "statement_views", "stored", "stored_fields", "stored_row",
                          "stored_row_text", "table", "test_name", "time_histogram", "words"}},
    "telemetry": {"ground": {"memory_budget", "own_thread", "patient_write"}},
    "proxy": {"ground": {"connection_counts", "fault_notes", "flow_buffer", "policy", "process_signals", "settings",
                         "turn_queue"},
              "face": {"acceptor", "catalog_feed", "daemon", "driver_watch", "engine_choice", "file_watch", "fleet_facts", "reloader", "staleness", "standing_limits", "start_lines",
                       "worker", "worker_group"}},
    "sim": {"face": {"message", "server", "simulator", "tls"}},
}

# room -> those of its headers that other rooms may include; tests may include any.
PUBLIC = {
    "text": """
        ci_commands days glob html_blocks html_text json_text json_writer listed lower_case nearest percent printable problem
        time_text utf8
    """.split(),
    "net": """
        asio_endpoint asio_forward certificate_life endpoint engine event_loop failing_memory listener network patient_connection
        peer_key proxy_header
        socket_address tls_context tls_options transport unique_fd work_meter
    """.split(),
    "wire": """
        bare_command bson bson_writer command compressed crc32c decompressor endian enum_count
        error header health_commands label_table legacy limits message_digest metered_reader namespace_view op_msg
        op_query
        relaxed_json reply reply_scan seeded_hash server_error stepwise_decompressor trace_context value_layout
        work_budget
    """.split(),
    "routing": """
        classify command_kind scratch verdict
        bounds/stage_reader
        catalog/catalog catalog/catalog_rules catalog/patterns catalog/collation catalog/version_doubt
        keys/hash keys/key_encoding
        pattern/outline_hash pattern/pattern pattern/pattern_writer
        shape/placeholder shape/shape
        stages/stage
        statements/digest_rules
        words/describe words/query_shape_hash
    """.split(),
    "config": """
        baseline/baseline
        catalog_file/namespace_lines catalog_file/shard_key_text
        cluster/catalog_facts cluster/catalog_notes cluster/cluster_mirror cluster/cluster_text
        cluster/live_catalog cluster/threads_left
        driver/connection_string driver/driver_events driver/driver_process driver/mongo_client driver/mongo_reader
        driver/proxied_uri driver/srv_lookup
        mongosh/shell_reader mongosh/statement_lines
        options/catalog_uri options/ignored_settings options/load options/options options/page_access options/rule
        options/rule_check options/rule_match
        text/extended_json text/extended_json_text text/file_stamp text/input text/scalars text/text_readers
    """.split(),
    "fleet": """
        database flush init_commands lease reading sidecar_document stable_hash stored_ledger
    """.split(),
    "telemetry": """
        memory_budget
        accounts/account
        advice/advice_service
        admin/admin_access admin/admin_server admin/admin_settings admin/api admin/health admin/rules_answer
        audit/audit_log
        conditions/condition conditions/condition_board
        shapes/live_digest shapes/running_tests shapes/shape_table shapes/shape_tally
        sketches/salt_file sketches/sketch_book
        state/state_file state/state_keeper
        fleet/fleet_sink fleet/fleet_view
        counters/error_code counters/worker_metrics
        log/log
        metrics/build_info metrics/exposition metrics/metrics_collector
        samples/check_queue samples/command_samples samples/rate_gate
        tap/live_tap
    """.split(),
    "proxy": """
        daemon process_signals policy
    """.split(),
    "digest": """
        breakdown cut_text describe filter_fields finding finding_action json json_parts judge labels number_text pinned_values placeholder ranking
        row second_judge shape_command statement_views sketches/salt sketches/sketch_pool sketches/sketch_set
        sketches/sketched_value sketches/stored_sketches stored stored_fields stored_row table test_name time_histogram words
    """.split(),
    "advise": """
        advice advice_html advice_json advice_words advisor conclusion kept_commands sketched_values unique_indexes
    """.split(),
    "report": """
        baseline/baseline_comparison
        sources/digest_builder sources/rejudging_observer sources/sample_line sources/selection sources/source
        verify/self_check
        views/advice_views views/ci_findings views/compare_model views/compare_views views/report_codequality views/report_csv views/report_github views/report_html views/report_json
        views/report_junit views/report_markdown views/report_model views/report_sarif
        views/report_text views/source_place views/verify_report
    """.split(),
    "sim": [],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)

# A folder's row on the page, and what it may include.
ROW = re.compile(r"^\| `(\w+)/(\w+)/` \|[^|]*\|([^|]*)\|$", re.M)


def sources():
    """Each file of the rooms, with what it includes."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.[ch]pp")):
            yield room, path, INCLUDE.findall(path.read_text())


def place_of(room, path):
    """The place of a file in its room, by its path from there; None if it has none."""
    folder, _, _ = path.rpartition("/")
    if folder:
        place = folder.split("/")[0]
        return place if place in PLACES[room] else None
    name = path.rpartition(".")[0]
    return next((group for group, names in FILES_ON_TOP.get(room, {}).items() if name in names), None)


class Includes(unittest.TestCase):
    def test_rooms_only_know_the_rooms_below_them(self):
        wrong = []
        for room, path, includes in sources():
            for include in includes:
                target = include.split("/")[0]
                if target in ROOMS and target != room and target not in ROOMS[room]:
                    wrong.append(f"{path.relative_to(ROOT)} includes {include}")
        self.assertEqual(wrong, [])

    def test_folders_only_know_the_folders_below_them(self):
        wrong = []
        for room, path, includes in sources():
            if room not in PLACES:
                continue
            own = place_of(room, path.relative_to(ROOT / room).as_posix())
            if own is None:
                wrong.append(f"{path.relative_to(ROOT)} is in none of the places")
                continue
            for include in includes:
                target, _, rest = include.partition("/")
                if target != room:
                    continue
                other = place_of(room, rest)
                if other != own and other not in PLACES[room][own]:
                    wrong.append(f"{path.relative_to(ROOT)} includes {include}")
        self.assertEqual(wrong, [])

    def test_no_arrows_run_in_circles(self):
        for table in [ROOMS, *PLACES.values()]:
            above = set()
            for name, known in table.items():
                self.assertLessEqual(known, above, name)
                above.add(name)

    def test_rooms_only_know_the_public_headers_of_others(self):
        public = {f"{room}/{name}.hpp" for room, names in PUBLIC.items() for name in names}
        used = {include for room, _, includes in sources() for include in includes
                if include.split("/")[0] in PUBLIC and include.split("/")[0] != room}
        self.assertEqual(sorted(used - public), [], "not public")
        self.assertEqual(sorted(public - used), [], "public, but not included by another room")

    def test_the_pages_have_a_row_for_each_folder(self):
        page = (ROOT / "docs/architecture.md").read_text()
        for room in ROOMS:
            self.assertTrue(room == "bench" or f"| `{room}/` |" in page, room)
            page += (ROOT / room / "README.md").read_text()
        rows = {(room, folder): {each.strip().removeprefix("the ") for each in known.split(",")} - {""}
                for room, folder, known in ROW.findall(page)}
        self.assertEqual(rows, FOLDERS)

    def test_each_folder_is_in_the_table(self):
        there = {(room, path.name) for room in PLACES for path in (ROOT / room).iterdir()
                 if path.is_dir() and any(path.rglob("*.[ch]pp"))}
        self.assertEqual(sorted(there), sorted(FOLDERS))

    def test_libraries_stay_in_the_rooms_that_own_them(self):
        wrong = []
        for room, path, includes in sources():
            for include in includes:
                for pattern, rooms in LIBRARIES:
                    if not re.match(pattern, include):
                        continue
                    owner = room if room in rooms else f"{room}/{path.relative_to(ROOT / room).parts[0]}"
                    if owner not in rooms or (path.suffix == ".hpp" and not rooms[owner]):
                        wrong.append(f"{path.relative_to(ROOT)} includes {include}")
        self.assertEqual(wrong, [])

    def test_a_wrong_include_is_noticed(self):
        self.assertNotIn("proxy", ROOMS["routing"])
        self.assertEqual(place_of("routing", "shape/shape.hpp"), "shape")
        self.assertEqual(place_of("routing", "verdict.hpp"), "ground")
        self.assertIsNone(place_of("routing", "lost.hpp"))
        self.assertIsNone(place_of("routing", "lost/shape.hpp"))
        self.assertEqual(INCLUDE.findall('#include "proxy/worker.hpp"\n'), ["proxy/worker.hpp"])
        self.assertGreater(sum(1 for _ in sources()), 50)


if __name__ == "__main__":
    sys.exit(unittest.main())
