#include "routing/catalog/patterns.hpp"

#include <algorithm>
#include <tuple>

#include "text/glob.hpp"

namespace scattergate::routing {

bool is_pattern(const collection& entry) noexcept {
  return entry.use == nullptr && (text::is_glob(entry.database) || text::is_glob(entry.name));
}

const collection* find_pattern(std::span<const collection> entries,
                               wire::namespace_view ns) noexcept {
  const collection* found = nullptr;
  for (std::size_t at = entries.size(); at-- > 0 && is_pattern(entries[at]);) {
    const collection& entry = entries[at];
    if (text::glob_matches(entry.database, ns.database) &&
        text::glob_matches(entry.name, ns.collection)) {
      found = &entry;  // patterns further to the front are longer
    }
  }
  return found;
}

std::string_view pattern_of_database(std::span<const collection> entries,
                                     std::string_view database) noexcept {
  std::string_view found;
  std::size_t at = entries.size();
  for (; at > 0 && is_pattern(entries[at - 1]); --at) {
    const std::string_view pattern = entries[at - 1].database;
    const bool says_something = pattern.find_first_not_of("*?") != pattern.npos;
    const bool is_longer =
        text::is_glob(pattern) && says_something && pattern.size() > found.size();
    if (is_longer && text::glob_matches(pattern, database)) found = pattern;
  }
  const bool is_named =
      !found.empty() && std::ranges::any_of(entries.first(at), [&](const collection& one) {
        return one.database == database;
      });
  return is_named ? std::string_view{} : found;
}

void sort_entries(std::span<collection> entries) {
  const auto place_of = [](const collection& entry) {
    const std::size_t length = entry.database.size() + entry.name.size();
    const bool is_behind = is_pattern(entry);
    return std::tuple{is_behind, is_behind ? ~length : 0, std::string_view{entry.database},
                      std::string_view{entry.name}};
  };
  std::ranges::sort(entries, {}, place_of);
}

}  // namespace scattergate::routing
