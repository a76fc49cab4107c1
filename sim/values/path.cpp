#include "sim/values/path.hpp"

#include <charconv>

#include "sim/values/error.hpp"

namespace scattergate::sim {

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> components;
  while (true) {
    const std::size_t dot = path.find('.');
    const std::string_view head = path.substr(0, dot);
    if (head.empty() && (dot != path.npos || !components.empty()))
      refuse("FieldPath must not have empty components");
    components.emplace_back(head);
    if (components.size() > max_path_components)
      refuse(errc::overflow, "FieldPath is too long");
    if (dot == path.npos) return components;
    path.remove_prefix(dot + 1);
  }
}

std::optional<std::size_t> array_index(std::string_view component) noexcept {
  constexpr std::size_t most_digits = 9;
  if (component.empty() || component.size() > most_digits) return std::nullopt;
  if (component.size() > 1 && component.front() == '0') return std::nullopt;
  std::size_t index = 0;
  const auto [end, error] =
      std::from_chars(component.data(), component.data() + component.size(), index);
  if (error != std::errc{} || end != component.data() + component.size()) return std::nullopt;
  return index;
}

const value* plain_path(const document& from, path_view path) noexcept {
  const document* at = &from;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const value* next = at->find(path[i]);
    if (next == nullptr || i + 1 == path.size()) return next;
    at = next->as<document>();
    if (at == nullptr) return nullptr;
  }
  return nullptr;
}

bool has_array_on_path(const document& from, path_view path) noexcept {
  const document* at = &from;
  for (const std::string& component : path) {
    const value* next = at->find(component);
    if (next == nullptr) return false;
    if (next->is<array>()) return true;
    at = next->as<document>();
    if (at == nullptr) return false;
  }
  return false;
}

}  // namespace scattergate::sim
