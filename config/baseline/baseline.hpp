#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/problem.hpp"
#include "text/time_text.hpp"

namespace scattergate::config {

/// A query shape (a command without its values) that is accepted although its commands scatter,
/// that is, ask every shard.
struct accepted_shape {
  std::uint64_t shape_hash = 0;  ///< identifies the shape
  /// The namespace, "database.collection"; a glob if the database's name is generated.
  std::string name_space;
  std::string command;  ///< the command's name: "find"
  std::string reason;   ///< why the shape scatters: a verdict's reason
  std::string shape;    ///< the shape's text, one line of JSON
  std::string why;      ///< why the shape is accepted, for people
  std::string by;       ///< who accepted the shape, for people
  /// The last day on which the shape is accepted, in UTC; std::nullopt: forever.
  std::optional<text::day> until;
  std::optional<text::day> since;  ///< the day on which the shape was added; std::nullopt:
                                   ///< unknown
  friend bool operator==(const accepted_shape&, const accepted_shape&) = default;
};

/// The accepted shapes of one baseline file (docs/report.md).
struct baseline {
  std::vector<accepted_shape> accepted;  ///< sorted by namespace, command and hash
  friend bool operator==(const baseline&, const baseline&) = default;
};

/// A baseline, and the problems found while reading it. Use `value` only if there are no
/// problems.
struct loaded_baseline {
  baseline value;
  std::vector<text::problem> problems;  ///< empty: the baseline is valid
};

/// The maximum number of shapes in a baseline file.
inline constexpr std::size_t max_accepted = 20'000;

/// Parses the text of a baseline file. `name`: the file's name in problems.
[[nodiscard]] loaded_baseline read_baseline(const std::string& name, std::string_view text);

/// Reads a baseline file. An unreadable file is a problem.
[[nodiscard]] loaded_baseline load_baseline(const std::string& file);

/// Formats a baseline as the text of a file, sorted by namespace, command and hash.
/// read_baseline() reads the text back.
[[nodiscard]] std::string to_yaml(baseline of);

}  // namespace scattergate::config
