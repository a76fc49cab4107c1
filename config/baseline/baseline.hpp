#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/days.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// A shape that somebody accepts though it scatters. The hash says which; the rest is for
/// people.
struct accepted_shape {
  std::uint64_t shape_hash = 0;
  std::string name_space;  ///< "database.collection", with globs where its database is made up
  std::string command;
  std::string reason;
  std::string shape;  ///< one line of JSON
  std::string why;
  std::string by;
  std::optional<text::day> until;  ///< the last day on which it is accepted; nothing: for good
  std::optional<text::day> since;
  friend bool operator==(const accepted_shape&, const accepted_shape&) = default;
};

/// What is accepted, in a file of its own (docs/report.md).
struct baseline {
  std::vector<accepted_shape> accepted;  ///< by namespace, command and hash
  friend bool operator==(const baseline&, const baseline&) = default;
};

struct loaded_baseline {
  baseline value;
  std::vector<text::problem> problems;
};

/// How many shapes a baseline may hold.
inline constexpr std::size_t max_accepted = 20'000;

/// Reads a baseline's text; `name` is what the file is called in problems.
[[nodiscard]] loaded_baseline read_baseline(const std::string& name, std::string_view text);

/// Reads a file.
[[nodiscard]] loaded_baseline load_baseline(const std::string& file);

/// The file that gives it again, sorted.
[[nodiscard]] std::string to_yaml(baseline of);

}  // namespace scattergate::config
