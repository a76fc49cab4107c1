#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/options/options.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// One scalar setting: its name in the file and in the environment, how its value is set, and
/// how it is shown. Only this table has these facts. `Of`: the struct that has the value,
/// options or listener_options.
template <typename Of>
struct setting_of {
  std::string_view section;  ///< empty at the top of the file or listener
  std::string_view key;

  /// Sets the value. If it is invalid, the problem says what is expected.
  text::result<void> (*set)(Of& to, std::string_view text);

  /// The value in the form that set() reads; empty if unset.
  std::string (*show)(const Of& from);

  /// Whether a value names a file to read. Such a path is relative to the configuration file.
  /// Null: no value names a file.
  bool (*names_file)(std::string_view text) = nullptr;

  /// Whether the configuration file may have a list as the value, which means its members
  /// joined by commas.
  bool may_be_list = false;
};
using setting = setting_of<options>;
using listener_setting = setting_of<listener_options>;

/// All scalar settings except those of listeners and rules, in the order in which they are
/// shown.
[[nodiscard]] std::span<const setting> settings() noexcept;

/// All scalar settings of a listener, in the order in which they are shown. In the file
/// `upstream` may also be a list. `tls` and `upstream_tls` are both switches and sections:
/// `on`, `off`, or a map, which means on. As variables they all apply to the first listener.
[[nodiscard]] std::span<const listener_setting> listener_settings() noexcept;

/// The setting with this section and key; null if there is none.
[[nodiscard]] const setting* find_setting(std::string_view section,
                                          std::string_view key) noexcept;
[[nodiscard]] const listener_setting* find_listener_setting(std::string_view section,
                                                            std::string_view key) noexcept;

/// The setting's full name: "audit.file".
[[nodiscard]] std::string name_of(std::string_view section, std::string_view key);

/// The setting's environment variable: "SCATTERGATE_AUDIT_FILE".
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

/// Adds one upstream. Returns a problem if the address is invalid, is there already, or is one
/// too many.
[[nodiscard]] text::result<void> add_upstream(listener_options& to, std::string_view text);

}  // namespace scattergate::config
