#include "config/options/origins.hpp"

#include <utility>

namespace scattergate::config {

void origins::note(std::string name, std::string place) {
  places_.insert_or_assign(std::move(name), std::move(place));
}

std::string origins::of(std::string_view name) const {
  for (;;) {
    if (const auto found = places_.find(name); found != places_.end()) return found->second;
    const std::size_t last = name.find_last_of(".[");
    if (last == name.npos) return std::string{name};
    name = name.substr(0, last);
  }
}

bool origins::is_wrong(std::string_view name) const {
  for (;;) {
    if (wrong_.contains(name)) return true;
    const std::size_t last = name.find_last_of(".[");
    if (last == name.npos) return false;
    name = name.substr(0, last);
  }
}

std::string name_of_listener(std::size_t number) {
  return "listeners[" + std::to_string(number) + "]";
}

}  // namespace scattergate::config
