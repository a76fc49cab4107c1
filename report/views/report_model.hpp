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

/// Rows that text and Markdown tell apart.
inline constexpr std::size_t most_rows_told = 50;

/// Whether a shape is told in a block of its own: what goes to one shard, or to none, needs
/// nothing done.
[[nodiscard]] bool is_told_apart(const digest::row& one) noexcept;

/// A source in one line: what it was, what came of it, what was left out.
[[nodiscard]] std::string source_text(const source_facts& of);

}  // namespace scattergate::report
