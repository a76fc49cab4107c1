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

/// The positions of the values to sketch in messages with one pattern (verdict_memo), so that
/// these don't have to be parsed. Each value is located by its distance from the previous one,
/// and verified by the bytes of its name; if these differ, the message is parsed.
struct sketch_plan {
  static constexpr std::size_t most_values = 3;

  struct value {
    std::uint64_t name = 0;  ///< the last bytes before the value: the end of its type and name
    std::uint64_t mask = 0;  ///< which bytes of `name` to compare
    digest::sketched_field field = 0;
    std::uint16_t distance = 0;  ///< from the end of the previous value, or from the start of
                                 ///< the message
    wire::bson_type type{};
  };

  std::uint8_t place = 0;  ///< the collection's sketch_notes::place
  routing::command_kind kind{};
  bool is_usable = false;
  std::uint8_t count = 0;        ///< of `values`
  std::uint16_t documents = 0;   ///< offset of the new documents; 0: it has a filter instead
  std::uint32_t generation = 0;  ///< the generation of the sketched fields
  std::array<value, most_values> values{};

  /// Adds the next value of `message` to the plan; false if the plan can't describe its
  /// position.
  [[nodiscard]] bool add(std::span<const std::byte> message, const wire::element& next,
                         digest::sketched_field field) noexcept;

  /// The bytes of a value in `message`; moves `at` past it. std::nullopt if another field is
  /// there.
  [[nodiscard]] static std::optional<std::span<const std::byte>> find(
      const value& one, std::span<const std::byte> message, std::size_t& at) noexcept;

  /// Adds the position of a sequence of new documents to the plan; false if it is out of range.
  [[nodiscard]] bool add_documents(std::span<const std::byte> message,
                                   std::span<const std::byte> documents) noexcept;

  /// The new documents in a message's sequence; empty if there is something else at that
  /// position.
  [[nodiscard]] std::span<const std::byte> documents_in(
      std::span<const std::byte> message) const noexcept;

 private:
  std::size_t end_ = 0;  // of the last value, in the message that add() was given
};

}  // namespace scattergate::proxy
