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
  std::size_t line;  ///< of the key
};

/// The entries of a map, each key once. A problem for every key that isn't text or comes a
/// second time, and where `value` isn't a map at all; nothing written counts as an empty map.
[[nodiscard]] std::vector<map_entry> entries_of(const text_tree::node& value,
                                                std::string_view what, problem_log& problems);

/// Reports a key that nobody knows, and those that are known there. What doesn't look like a
/// key isn't shown: the file may be another one, given by mistake, and secret.
void report_unknown(const map_entry& entry, std::string_view where,
                    const std::vector<std::string_view>& known, problem_log& problems);

/// Whether a file is none of ours: it has keys, and not one that is known, or nearly. One
/// problem then, for all of it.
[[nodiscard]] bool is_foreign(const std::vector<map_entry>& entries, std::string_view what,
                              const std::vector<std::string_view>& known,
                              problem_log& problems);

/// The members of a list; a problem where `value` isn't one. Nothing written counts as empty.
[[nodiscard]] std::vector<text_tree::node> members_of(const text_tree::node& value,
                                                      std::string_view what,
                                                      problem_log& problems);

/// A scalar's text. A problem, and false, where `entry` holds no scalar or nothing at all.
[[nodiscard]] bool read_text(const map_entry& entry, std::string& to, problem_log& problems);

/// `true` or `false`; likewise.
[[nodiscard]] bool read_flag(const map_entry& entry, bool& to, problem_log& problems);

}  // namespace scattergate::config
