#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace scattergate::config {

/// Remembers where each option's value comes from: a file and line, an environment variable or
/// a flag. Problems that are found after all values are read name this source. A value is
/// identified by its name in docs/configuration.md, with the listener's number:
/// "listeners[0].tls.cert_file".
class origins {
 public:
  /// Records that the value `name` comes from `place`: "scattergate.yaml:12",
  /// "SCATTERGATE_TLS_CERT_FILE".
  void note(std::string name, std::string place);

  /// The source of the value `name`. If none was recorded, the source of the innermost section
  /// around it that has one. If there is none either, the first part of the name, such as
  /// "listeners".
  [[nodiscard]] std::string of(std::string_view name) const;

  /// Whether a source was recorded for exactly this name.
  [[nodiscard]] bool has(std::string_view name) const { return places_.contains(name); }

  /// Marks a value or section as unreadable. Call it when the problem has been reported. Later
  /// checks then report no problems that only follow from this one.
  void mark_wrong(std::string name) { wrong_.insert(std::move(name)); }

  /// Whether the value or an enclosing section is marked as unreadable.
  [[nodiscard]] bool is_wrong(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> places_;
  std::set<std::string, std::less<>> wrong_;
};

/// The name of listener `number`, from 0: "listeners[0]".
[[nodiscard]] std::string name_of_listener(std::size_t number);

}  // namespace scattergate::config
