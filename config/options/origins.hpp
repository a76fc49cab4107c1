#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace scattergate::config {

/// The sources of the options' values, for problems that are found only after all values are
/// read. A value has the name by which the documentation calls it, with the listener's number:
/// "listeners[0].tls.cert_file".
class origins {
 public:
  /// Records that a value comes from `place`: "scattergate.yaml:12",
  /// "SCATTERGATE_TLS_CERT_FILE".
  void note(std::string name, std::string place);

  /// The source of a value. If none was recorded, the source of the innermost enclosing section
  /// that has one; otherwise the outermost name.
  [[nodiscard]] std::string of(std::string_view name) const;

  [[nodiscard]] bool has(std::string_view name) const { return places_.contains(name); }

  /// Marks a value or section as unreadable. The problem has been reported; further problems
  /// with the value are only consequences.
  void mark_wrong(std::string name) { wrong_.insert(std::move(name)); }

  /// Whether the value or an enclosing section is marked.
  [[nodiscard]] bool is_wrong(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> places_;
  std::set<std::string, std::less<>> wrong_;
};

/// The name of listener `number`, from 0: "listeners[0]".
[[nodiscard]] std::string name_of_listener(std::size_t number);

}  // namespace scattergate::config
