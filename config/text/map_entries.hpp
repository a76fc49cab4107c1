#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/text/problem_log.hpp"
#include "config/text/text_tree.hpp"

namespace scattergate::config {

/// One entry of a map.
struct map_entry {
  std::string_view key;
  text_tree::node value;
  std::size_t line;  ///< the key's line
};

/// The entries of a map from a file. Adds a problem if `value` isn't a map. Also adds one for
/// each entry whose key isn't text or equals the key of an earlier entry, and omits the entry.
/// An empty value counts as an empty map. `what`: the map's name in problems.
[[nodiscard]] std::vector<map_entry> entries_of(const text_tree::node& value,
                                                std::string_view what, problem_log& problems);

/// Adds a problem for an unknown key; the message lists the known keys. `place`: the name of
/// the map in the problem. Quotes the key only if it looks like a key: the file may be of
/// another kind and contain secrets.
void report_unknown(const map_entry& entry, std::string_view place,
                    const std::vector<std::string_view>& known, problem_log& problems);

/// Whether a file isn't of the expected kind: it has keys, but none that equals or resembles a
/// known key. If true, adds one problem for the whole file. `what`: the expected kind of file,
/// for the problem.
[[nodiscard]] bool reject_foreign(const std::vector<map_entry>& entries, std::string_view what,
                                  const std::vector<std::string_view>& known,
                                  problem_log& problems);

/// The members of a list; adds a problem if `value` isn't a list. An empty value counts as an
/// empty list. `what`: the list's name in problems.
[[nodiscard]] std::vector<text_tree::node> members_of(const text_tree::node& value,
                                                      std::string_view what,
                                                      problem_log& problems);

/// Reads the text of a map's entry into `to`. Adds a problem and returns false if the value is
/// missing or not a scalar.
[[nodiscard]] bool read_text(const map_entry& entry, std::string& to, problem_log& problems);

/// Reads a switch (true, false, on or off) from a map's entry into `to`. Adds a problem and
/// returns false for anything else.
[[nodiscard]] bool read_flag(const map_entry& entry, bool& to, problem_log& problems);

}  // namespace scattergate::config
