#include "routing/bounds/match_path.hpp"

namespace scattergate::routing {

path_relation relate(std::string_view path, std::string_view key) noexcept {
  if (path.size() == key.size()) {
    return path == key ? path_relation::same : path_relation::unrelated;
  }
  const bool is_shorter = path.size() < key.size();
  const std::string_view whole = is_shorter ? key : path;
  const std::string_view part = is_shorter ? path : key;
  if (whole[part.size()] != '.' || !whole.starts_with(part)) return path_relation::unrelated;
  return is_shorter ? path_relation::above : path_relation::below;
}

path_relation relate(const match_path& path, std::string_view key,
                     std::string_view& rest) noexcept {
  if (path.outer != nullptr) {
    const path_relation outer = relate(*path.outer, key, rest);
    if (outer == path_relation::unrelated) return outer;
    if (outer != path_relation::above) return path_relation::below;
    key = rest;
  }
  const path_relation found = relate(path.name, key);
  if (found == path_relation::above) rest = key.substr(path.name.size() + 1);
  return found;
}

std::uint64_t bit_of(std::string_view path) noexcept {
  if (path.empty()) return 1;
  const auto first = static_cast<unsigned char>(path.front());
  const auto last = static_cast<unsigned char>(path.back());
  return std::uint64_t{1} << ((7 * path.size() + first + 3U * last) % 64);
}

const match_path* keep(const match_path& path, scratch& memory) noexcept {
  const auto kept = memory.allocate<match_path>(1);
  if (kept.empty()) return nullptr;
  kept[0] = path;
  if (path.outer != nullptr) {
    kept[0].outer = keep(*path.outer, memory);
    if (kept[0].outer == nullptr) return nullptr;
  }
  return kept.data();
}

}  // namespace scattergate::routing
