#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "digest/sketches/sketched_value.hpp"
#include "routing/command_kind.hpp"
#include "wire/bson.hpp"

namespace scattergate::proxy {

/// Where messages that are alike (verdict_memo) have the values to be sketched, so that they
/// needn't be parsed. A value is found behind the one before it, and recognised by the bytes of
/// its name; where these are others, the message is parsed.
struct sketch_plan {
  static constexpr std::size_t most_values = 3;

  struct value {
    std::uint64_t name = 0;  ///< the bytes before the value: the end of its type and name
    std::uint64_t mask = 0;  ///< those of them that count
    digest::sketched_field field = 0;
    std::uint16_t distance = 0;  ///< from the end of the value before, or the message's begin
    wire::bson_type type{};
  };

  std::uint8_t place = 0;  ///< a sketch_notes::place
  routing::command_kind kind{};
  bool is_usable = false;
  std::uint8_t count = 0;        ///< of `values`
  std::uint16_t documents = 0;   ///< where the new documents begin; 0: it has a filter
  std::uint32_t generation = 0;  ///< of the fields that it knows
  std::array<value, most_values> values{};

  /// Adds the next value of `message`; false if it can't be found so.
  [[nodiscard]] bool add(std::span<const std::byte> message, const wire::element& next,
                         digest::sketched_field field) noexcept;

  /// The next value's bytes, behind which `at` is moved; std::nullopt if another one is there.
  [[nodiscard]] static std::optional<std::span<const std::byte>> find(
      const value& one, std::span<const std::byte> message, std::size_t& at) noexcept;

  /// Takes note of a sequence of documents that begins at this byte; false if it can't.
  [[nodiscard]] bool add_documents(std::span<const std::byte> message,
                                   std::span<const std::byte> documents) noexcept;

  /// The documents of a message, which are in a sequence; empty if something else is there.
  [[nodiscard]] std::span<const std::byte> documents_in(
      std::span<const std::byte> message) const noexcept;

 private:
  std::size_t end_ = 0;  // of the last value, in the message that add() was given
};

}  // namespace scattergate::proxy
