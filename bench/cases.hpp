#pragma once

#include <vector>

/// The cases, registered with Google Benchmark; see README.md for what they measure.
namespace scattergate::bench {

/// classify, shape_hash. Sets `failed` if a measured case isn't judged as expected.
void register_classify_cases(bool& failed);

/// parse_command, and scanning a reply.
void register_wire_cases(bool& failed);

/// A scrape of /metrics.
void register_scrape_cases();

/// The fastest repetition of a case: the one that other programs disturbed least.
[[nodiscard]] double least(const std::vector<double>& repetitions);

}  // namespace scattergate::bench
