#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/options.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// When a running daemon applies a value that has changed in its files.
enum class applied : std::uint8_t { at_restart, by_reload };

/// One setting with a single value: its name in the file and in the environment, its range, and
/// functions that set and show its value. `Of`: the struct that has the value, options or
/// listener_options.
template <typename Of>
struct setting_of {
  std::string_view section;  ///< name of the section; empty: at the top of the file or
                             ///< listener
  std::string_view key;      ///< name of the setting within the section

  /// Implements set(). `row`: this setting.
  text::result<void> (*read)(Of& to, std::string_view text, const setting_of& row);

  /// Formats the value as set() reads it; empty if unset.
  std::string (*show)(const Of& from);

  applied when = applied::at_restart;  ///< listeners: only if no listener's address has changed
  std::uint64_t least = 0;             ///< the range of a number, or of a duration in
  std::uint64_t most = 0;              ///< milliseconds

  /// Whether a value names a file to read. In the configuration file, its path is relative to
  /// that file. Null: no value names a file.
  bool (*names_file)(std::string_view text) = nullptr;

  /// Whether the configuration file may have a list as the value. The list's members, joined by
  /// commas, are then the text.
  bool may_be_list = false;

  /// Sets the value. If `text` is invalid, changes nothing and returns a problem that says what
  /// is expected.
  [[nodiscard]] text::result<void> set(Of& to, std::string_view text) const {
    return read(to, text, *this);
  }
};
using setting = setting_of<options>;
using listener_setting = setting_of<listener_options>;

/// All scalar settings (settings with a single value), in the order in which they are shown.
/// Excludes those of listeners and rules.
[[nodiscard]] std::span<const setting> settings() noexcept;

/// All scalar settings of a listener, in the order in which they are shown. In the file,
/// `upstream` may also be a list. `tls` and `upstream_tls` are `on`, `off`, or a section, which
/// means on. The environment variables of these settings apply to the first listener.
[[nodiscard]] std::span<const listener_setting> listener_settings() noexcept;

/// The setting with this section and key; null if there is none.
[[nodiscard]] const setting* find_setting(std::string_view section,
                                          std::string_view key) noexcept;
/// The listener's setting with this section and key; null if there is none.
[[nodiscard]] const listener_setting* find_listener_setting(std::string_view section,
                                                            std::string_view key) noexcept;

/// The setting's full name: "audit.file".
[[nodiscard]] std::string name_of(std::string_view section, std::string_view key);

/// The setting's environment variable: "SCATTERGATE_AUDIT_FILE".
[[nodiscard]] std::string variable_of(std::string_view section, std::string_view key);

/// The keys of the settings in a section, in the order of `table`.
template <typename Table>
[[nodiscard]] std::vector<std::string_view> keys_of_section(const Table& table,
                                                            std::string_view section) {
  std::vector<std::string_view> keys;
  for (const auto& one : table) {
    if (one.section == section) keys.push_back(one.key);
  }
  return keys;
}

/// Adds the address of one mongos to a listener. Returns a problem if the address is invalid,
/// is there already, or exceeds the maximum number.
[[nodiscard]] text::result<void> add_upstream(listener_options& to, std::string_view text);

}  // namespace scattergate::config
