#include "routing/catalog/patterns.hpp"

#include <algorithm>
#include <tuple>

#include "routing/text/glob.hpp"

namespace scattergate::routing {

bool is_pattern(const collection& entry) noexcept {
  return entry.use == nullptr && (is_glob(entry.database) || is_glob(entry.name));
}

const collection* find_pattern(std::span<const collection> entries,
                               wire::namespace_view wanted) noexcept {
  const collection* found = nullptr;
  for (std::size_t at = entries.size(); at-- > 0 && is_pattern(entries[at]);) {
    const collection& entry = entries[at];
    if (glob_matches(entry.database, wanted.database) &&
        glob_matches(entry.name, wanted.collection)) {
      found = &entry;  // those before it are longer
    }
  }
  return found;
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
