#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace scattergate::routing {

/// A hash table from names to values, built at compile time. It has `1 << Bits` slots with open
/// addressing. REQUIRES: at most half of the slots are filled. Thread-safety: immutable.
template <typename Value, unsigned Bits>
class name_slots {
 public:
  /// Adds a name; a duplicate is a compile error. REQUIRES: `name` isn't empty.
  constexpr void add(std::string_view name, Value value) {
    std::size_t at = home_of(name);
    while (!slots_[at].name.empty()) {
      if (slots_[at].name == name) throw "a name is listed twice";
      at = (at + 1) % slots_.size();
    }
    slots_[at] = {name, value};
  }

  /// The value of a name; `otherwise` if it isn't in the table.
  [[nodiscard]] constexpr Value find(std::string_view name, Value otherwise) const noexcept {
    if (name.empty()) return otherwise;
    for (std::size_t at = home_of(name);; at = (at + 1) % slots_.size()) {
      const slot& there = slots_[at];
      if (there.name.empty()) return otherwise;
      if (there.name == name) return there.value;
    }
  }

 private:
  struct slot {
    std::string_view name;
    Value value{};
  };

  /// The slot at which the search for a name starts. Hashes the length and four characters,
  /// which is faster than hashing all characters.
  static constexpr std::size_t home_of(std::string_view name) noexcept {
    const auto at = [&](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(name[i]));
    };
    const std::size_t last = name.size() - 1;
    const std::uint32_t sample =
        at(0) | at(last / 3) << 8U | at(last - last / 3) << 16U | at(last) << 24U;
    const auto length = static_cast<std::uint32_t>(name.size());
    return ((sample + length * 0x85EBCA6BU) * 0xC2B2AE35U) >> (32U - Bits);
  }

  std::array<slot, std::size_t{1} << Bits> slots_{};
};

}  // namespace scattergate::routing
