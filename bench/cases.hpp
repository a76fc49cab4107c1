#pragma once

#include <vector>

/// Registers the cases of the benchmark with Google Benchmark. README.md describes what each
/// case measures.
namespace scattergate::bench {

/// Registers the cases that measure classify() and shape_hash(). Sets `failed` to true if a
/// command isn't judged as expected, now or when a case runs; `failed` must outlive the cases.
void register_classify_cases(bool& failed);

/// Registers the cases that measure parse_command() and the scanning of a reply. Sets `failed`
/// to true if a case can't run as expected; `failed` must outlive the cases.
void register_wire_cases(bool& failed);

/// Registers the cases that measure how the text of /metrics is made.
void register_scrape_cases();

/// The result of a case: the shortest of its times, because other programs disturbed that
/// repetition least. `repetitions`: the time of each repetition.
[[nodiscard]] double least(const std::vector<double>& repetitions);

}  // namespace scattergate::bench
