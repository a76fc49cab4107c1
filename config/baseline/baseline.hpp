#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/days.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// A query shape that was accepted although it scatters. Its hash identifies it.
struct accepted_shape {
  std::uint64_t shape_hash = 0;
  /// "database.collection", with globs for a database whose name is generated.
  std::string name_space;
  std::string command;
  std::string reason;  ///< why it scatters
  std::string shape;   ///< one line of JSON
  std::string why;     ///< why it is accepted, for people
  std::string by;      ///< who accepted it, for people
  /// The last day on which it is accepted; std::nullopt: forever.
  std::optional<text::day> until;
  std::optional<text::day> since;  ///< when it was added
  friend bool operator==(const accepted_shape&, const accepted_shape&) = default;
};

/// The accepted shapes of one baseline file (docs/report.md).
struct baseline {
  std::vector<accepted_shape> accepted;  ///< sorted by namespace, command and hash
  friend bool operator==(const baseline&, const baseline&) = default;
};

struct loaded_baseline {
  baseline value;
  std::vector<text::problem> problems;
};

/// The maximum number of shapes in a baseline.
inline constexpr std::size_t max_accepted = 20'000;

/// Reads a baseline's text. `name`: the file's name in problems.
[[nodiscard]] loaded_baseline read_baseline(const std::string& name, std::string_view text);

/// Reads a baseline file.
[[nodiscard]] loaded_baseline load_baseline(const std::string& file);

/// Formats a baseline as the text of a file, sorted. read_baseline() reads it back.
[[nodiscard]] std::string to_yaml(baseline of);

}  // namespace scattergate::config
