#include "config/cluster/catalog_facts.hpp"

namespace scattergate::config {
namespace {

template <typename Enum, std::size_t Count>
std::string_view name_in(const std::array<std::string_view, Count>& names,
                         Enum value) noexcept {
  return names[static_cast<std::size_t>(value)];
}

}  // namespace

std::string_view label(catalog_state state) noexcept {
  static constexpr std::array<std::string_view, catalog_state_count> names = {
      "off",        "file",    "loading", "live",         "unreachable", "unauthorized",
      "not_mongos", "bad_uri", "empty",   "inconsistent", "failed"};
  return name_in(names, state);
}

std::string_view label(load_result result) noexcept {
  static constexpr std::array<std::string_view, load_result_count> names = {
      "changed", "unchanged", "unreachable",  "unauthorized", "not_mongos",
      "bad_uri", "empty",     "inconsistent", "failed"};
  return name_in(names, result);
}

std::string_view label(load_trigger trigger) noexcept {
  static constexpr std::array<std::string_view, load_trigger_count> names = {
      "start", "timer", "ddl", "namespace", "signal", "retry"};
  return name_in(names, trigger);
}

std::string_view label(key_only_reason reason) noexcept {
  static constexpr std::array<std::string_view, key_only_reason_count> names = {
      "not_read", "max_chunks", "inconsistent"};
  return name_in(names, reason);
}

}  // namespace scattergate::config
