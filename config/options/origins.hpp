#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace scattergate::config {

/// Where values came from, for problems that show only when all values are known. A value is
/// called as the documentation calls it, with the listener's number:
/// "listeners[0].tls.cert_file".
class origins {
 public:
  /// The value now comes from `where`: "scattergate.yaml:12", "SCATTERGATE_TLS_CERT_FILE".
  void note(std::string name, std::string where);

  /// Where the value comes from; what isn't noted comes from where the thing around it does,
  /// in the end from what is called by the outermost name.
  [[nodiscard]] std::string of(std::string_view name) const;

  [[nodiscard]] bool has(std::string_view name) const { return places_.contains(name); }

  /// The value, or what is in it, could not be read, which was reported: what else seems wrong
  /// with it only follows from that.
  void mark_wrong(std::string name) { wrong_.insert(std::move(name)); }

  /// Whether the value, or the thing around it, is marked so.
  [[nodiscard]] bool is_wrong(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> places_;
  std::set<std::string, std::less<>> wrong_;
};

/// "listeners[0]".
[[nodiscard]] std::string name_of_listener(std::size_t number);

}  // namespace scattergate::config
