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
/// the messages needn't be parsed. Each value is located by its distance from the previous one,
/// and verified by the bytes of its field's name. If these differ, the message is parsed.
struct sketch_plan {
  static constexpr std::size_t most_values = 3;

  struct value {
    std::uint64_t name = 0;  ///< the last 8 bytes before the value: its type and name, or their
                             ///< end
    std::uint64_t mask = 0;  ///< the bytes of `name` to compare
    digest::sketched_field field = 0;
    std::uint16_t distance = 0;  ///< in bytes, from the end of the previous value; for the
                                 ///< first value, from the start of the message
    wire::bson_type type{};
  };

  std::uint8_t place = 0;  ///< the collection's sketch_notes::place
  routing::command_kind kind{};
  bool is_usable = false;       ///< false: messages must be parsed
  std::uint8_t count = 0;       ///< number of `values` in use
  std::uint16_t documents = 0;  ///< for inserts: offset of the first new document, in bytes; 0:
                                ///< the messages have a filter, with `values`
  std::uint32_t generation = 0;  ///< sketch_notes's generation_ when the plan was made
  std::array<value, most_values> values{};

  /// Adds `next`, the next value in `message`, to the plan. Returns false if the plan is full
  /// or can't describe the value's position.
  [[nodiscard]] bool add(std::span<const std::byte> message, const wire::element& next,
                         digest::sketched_field field) noexcept;

  /// The bytes of the value `one` in `message`. `at`: the offset of the previous value's end,
  /// or 0; moved to the end of this value. std::nullopt if another field is at the value's
  /// position.
  [[nodiscard]] static std::optional<std::span<const std::byte>> find(
      const value& one, std::span<const std::byte> message, std::size_t& at) noexcept;

  /// Adds the position of `documents`, a sequence of new documents in `message`, to the plan.
  /// Returns false if the plan can't describe it.
  [[nodiscard]] bool add_documents(std::span<const std::byte> message,
                                   std::span<const std::byte> documents) noexcept;

  /// The sequence of new documents in a message; empty if something else is at the plan's
  /// position.
  [[nodiscard]] std::span<const std::byte> documents_in(
      std::span<const std::byte> message) const noexcept;

 private:
  std::size_t end_ = 0;  // the offset of the last added value's end
};

}  // namespace scattergate::proxy
