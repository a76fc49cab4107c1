#pragma once

#include <vector>

/// Registers the benchmark's cases with Google Benchmark. README.md describes what each case
/// measures.
namespace scattergate::bench {

/// Registers the cases of classify() and shape_hash(). Sets `failed` to true if a command
/// isn't judged as expected, now or when a case runs; `failed` must outlive the cases.
void register_classify_cases(bool& failed);

/// Registers the cases of parse_command() and of scanning a reply. Sets `failed` to true if a
/// case can't run as expected; `failed` must outlive the cases.
void register_wire_cases(bool& failed);

/// Registers the cases of a scrape of /metrics.
void register_scrape_cases();

/// The least of `repetitions`, the times of one case. Other programs disturbed the shortest
/// repetition least.
[[nodiscard]] double least(const std::vector<double>& repetitions);

}  // namespace scattergate::bench
