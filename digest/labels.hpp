#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "routing/verdict.hpp"
#include "wire/label_table.hpp"

/// Parses the labels of enumerations in audit lines and stored digests.
namespace scattergate::digest {

/// The enumerator with this label; std::nullopt if there is none.
template <typename Enum>
[[nodiscard]] std::optional<Enum> enumerator_with_label(std::string_view name) noexcept {
  for (std::size_t i = 0; i < wire::enum_count<Enum>(); ++i) {
    if (label(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

/// The cause with this label; std::nullopt if there is none.
[[nodiscard]] inline std::optional<routing::cause> cause_with_label(
    std::string_view name) noexcept {
  for (std::size_t i = 0; i < routing::cause_count; ++i) {
    const auto cause = routing::cause::numbered(i);
    if (label(cause) == name) return cause;
  }
  return std::nullopt;
}

}  // namespace scattergate::digest
