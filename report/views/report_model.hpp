#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "digest/table.hpp"
#include "report/sources/digest_builder.hpp"

namespace scattergate::report {

/// One source, as far as it has been read.
struct source_facts {
  std::string name;
  source_kind kind = source_kind::unknown;
  std::uint64_t bytes = 0;
  digest_builder::tally tally;
  std::string error;  ///< why the rest of it could not be read; empty where it was
};

/// All that a view may print: a digest, where it came from, and how it held against the truth.
struct report_model {
  const digest::table& table;
  const report::truth& truth;
  std::vector<source_facts> sources;
  digest::wall_time generated_at;
  std::string catalog;  ///< what it was judged by
};

}  // namespace scattergate::report
