#pragma once

#include <vector>

/// The cases, registered with Google Benchmark; see README.md for what they measure.
namespace scattergate::bench {

/// classify, shape_hash. Sets `failed` when a case that runs isn't judged as it says it is.
void register_classify_cases(bool& failed);

/// parse_command, the scan of a reply.
void register_wire_cases(bool& failed);

/// A scrape of /metrics.
void register_scrape_cases();

/// The least of a case's repetitions: what other programs on the machine disturbed least.
[[nodiscard]] double least(const std::vector<double>& repetitions);

}  // namespace scattergate::bench
