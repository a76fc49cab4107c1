#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/text/extended_json.hpp"
#include "config/text/parse_problem.hpp"
#include "config/text/text_tree.hpp"

namespace scattergate::config {

/// A value as mongosh writes it, in the form of Extended JSON: ObjectId("...") is a map with
/// the key $oid. Thread-safety: as any value.
struct shell_value {
  node_kind kind = node_kind::scalar;
  bool is_plain = true;             ///< a scalar without quotes: a number, true, false, null
  std::string text{"null"};         ///< a scalar's text
  std::vector<std::string> keys{};  ///< a map's keys, one for each member
  std::vector<shell_value> members{};
  std::size_t line = 1;

  [[nodiscard]] static shell_value plain(std::string text);
  [[nodiscard]] static shell_value quoted(std::string text);
  [[nodiscard]] static shell_value list(std::vector<shell_value> members = {});
  [[nodiscard]] static shell_value map(std::vector<std::pair<std::string, shell_value>> = {});

  [[nodiscard]] bool is_map() const noexcept { return kind == node_kind::map; }
  [[nodiscard]] bool is_list() const noexcept { return kind == node_kind::list; }
  [[nodiscard]] bool is_string() const noexcept {
    return kind == node_kind::scalar && !is_plain;
  }
  [[nodiscard]] bool is_true() const noexcept { return is_plain && text == "true"; }

  /// The member with this key; null if there is none, or if this isn't a map.
  [[nodiscard]] const shell_value* find(std::string_view key) const noexcept;
  /// Adds a member to a map, or replaces it.
  void set(std::string_view key, shell_value value);

  /// The memory of the value and its members, in bytes.
  [[nodiscard]] std::size_t size_bytes() const noexcept;
  /// The levels of maps and lists, itself included; 1 for a scalar.
  [[nodiscard]] std::size_t depth() const noexcept;

  /// The map or list as BSON, as bson_of() reads Extended JSON.
  [[nodiscard]] parse_result<bson_bytes> to_bson() const;
};

}  // namespace scattergate::config
