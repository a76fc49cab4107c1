#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/options/options.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// One scalar of the configuration: the one place that knows its name in the file, in the
/// environment and on the command line, how it is read, and how it is written. `Of` is what
/// it belongs to: the options, or a listener.
template <typename Of>
struct setting_of {
  std::string_view section;  ///< empty at the top of the file or listener
  std::string_view key;

  /// Takes the value over. The problem of a bad one says what would have been right.
  text::result<void> (*set)(Of& to, std::string_view text);

  /// The value as set() reads it; empty where there is none.
  std::string (*show)(const Of& from);

  /// Whether a value names a file to read, which is looked for beside the configuration file
  /// that gives it; null: none does.
  bool (*names_file)(std::string_view text) = nullptr;

  /// Whether the file may have a list for it: the same as its members with commas between them.
  bool may_be_list = false;
};
using setting = setting_of<options>;
using listener_setting = setting_of<listener_options>;

/// All scalars, in the order in which they are shown; those of listeners and rules excepted.
[[nodiscard]] std::span<const setting> settings() noexcept;

/// The scalars of a listener, likewise. In the file `upstream` may be a list as well. `tls` and
/// `upstream_tls` are switches and sections at once: `on`, `off`, or a map, which means on.
/// As variables they all stand for the first listener.
[[nodiscard]] std::span<const listener_setting> listener_settings() noexcept;

/// The setting, or null.
[[nodiscard]] const setting* find_setting(std::string_view section,
                                          std::string_view key) noexcept;
[[nodiscard]] const listener_setting* find_listener_setting(std::string_view section,
                                                            std::string_view key) noexcept;

/// "audit.file".
[[nodiscard]] std::string name_of(std::string_view section, std::string_view key);

/// "SCATTERGATE_AUDIT_FILE".
[[nodiscard]] std::string variable_of(std::string_view section, std::string_view key);

/// The keys of a section, in the order of the table.
template <typename Table>
[[nodiscard]] std::vector<std::string_view> keys_of_section(const Table& table,
                                                            std::string_view section) {
  std::vector<std::string_view> keys;
  for (const auto& one : table) {
    if (one.section == section) keys.push_back(one.key);
  }
  return keys;
}

/// Adds one upstream; returns as setting_of::set does.
[[nodiscard]] text::result<void> add_upstream(listener_options& to, std::string_view text);

}  // namespace scattergate::config
