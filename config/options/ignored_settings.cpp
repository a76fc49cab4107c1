#include "config/options/ignored_settings.hpp"

#include <algorithm>

#include "config/options/settings.hpp"

namespace scattergate::config {
namespace {

std::string shown(const std::string& value) {
  return value.empty() ? "not set" : value;
}

std::string difference(const std::string& running, const std::string& loaded) {
  return "is " + shown(running) + ", would be " + shown(loaded) + " after a restart";
}

void add_listener(const listener_options& loaded, const listener_options& running,
                  const std::string& place, std::vector<ignored_setting>& to) {
  for (const listener_setting& one : listener_settings()) {
    const std::string is = one.show(running);
    const std::string would_be = one.show(loaded);
    if (is == would_be) continue;
    to.push_back({place + "." + name_of(one.section, one.key), difference(is, would_be)});
  }
}

/// Adds the listener settings that differ, if a listener's address differs: then a reload
/// applies none of them.
void add_listeners(const options& loaded, const options& running,
                   std::vector<ignored_setting>& to) {
  if (has_same_addresses(loaded, running)) return;
  const auto& anew = loaded.listeners;
  const auto& old = running.listeners;
  for (std::size_t i = 0; i < std::max(anew.size(), old.size()); ++i) {
    const std::string place = "listeners[" + std::to_string(i) + "]";
    if (i >= old.size()) {
      to.push_back({place, "is only served after a restart"});
    } else if (i >= anew.size()) {
      to.push_back({place, "is served until a restart"});
    } else {
      add_listener(anew[i], old[i], place, to);
    }
  }
}

}  // namespace

bool has_same_addresses(const options& one, const options& other) {
  return std::ranges::equal(one.listeners, other.listeners,
                            [](const listener_options& a, const listener_options& b) {
                              return a.listen == b.listen;
                            });
}

std::vector<ignored_setting> ignored_by_reload(const options& loaded, const options& running) {
  std::vector<ignored_setting> found;
  add_listeners(loaded, running, found);
  for (const setting& one : settings()) {
    if (one.when == applied::by_reload) continue;
    const std::string name = name_of(one.section, one.key);
    if (name == "workers.threads" && effective_threads(loaded) == effective_threads(running)) {
      continue;
    }
    const std::string is = one.show(running);
    const std::string would_be = one.show(loaded);
    if (is != would_be) found.push_back({name, difference(is, would_be)});
  }
  return found;
}

}  // namespace scattergate::config
