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

/// Says where the values to sketch are in messages with one pattern (see verdict_memo). So the
/// values can be read without parsing the message. To sketch values is to summarize them for
/// advice on shard keys. Each value is located by its distance from the previous value. If the
/// bytes before that location aren't the field's name, the message must be parsed.
struct sketch_plan {
  /// The maximum number of values in a plan.
  static constexpr std::size_t most_values = 3;

  /// The position of one value.
  struct value {
    std::uint64_t name = 0;  ///< the last 8 bytes before the value: its type and name, or their
                             ///< end if they are longer
    std::uint64_t mask = 0;  ///< has all bits set in the bytes of `name` to compare
    digest::sketched_field field = 0;  ///< the number of the value's field
    std::uint16_t distance = 0;  ///< in bytes, from the end of the previous value; for the
                                 ///< first value, from the start of the message
    wire::bson_type type{};      ///< the value's BSON type
  };

  std::uint8_t place = 0;        ///< the collection's sketch_notes::place
  routing::command_kind kind{};  ///< the kind of the messages' commands
  bool is_usable = false;        ///< false: messages must be parsed
  std::uint8_t count = 0;        ///< the number of `values` in use
  std::uint16_t documents = 0;   ///< for inserts: the offset in the message of the first new
                                 ///< document, in bytes; `values` is unused. 0: not an insert;
                                 ///< `values` locates the values in the filter.
  std::uint32_t generation = 0;  ///< the version of sketch_notes's list of sketched fields for
                                 ///< which the plan was made
  std::array<value, most_values> values{};  ///< in the order in which messages contain them

  /// Adds the position in `message` of `next`, the next value to sketch. `field`: the number of
  /// its field. Returns false if the plan is full or can't describe the position.
  [[nodiscard]] bool add(std::span<const std::byte> message, const wire::element& next,
                         digest::sketched_field field) noexcept;

  /// The bytes of the value `one` in `message`. `at`: the offset of the previous value's end,
  /// 0 for the first value; find() moves it to the end of `one`. std::nullopt if another field
  /// is at the position.
  [[nodiscard]] static std::optional<std::span<const std::byte>> find(
      const value& one, std::span<const std::byte> message, std::size_t& at) noexcept;

  /// Adds the position of `documents`, a sequence of new documents in `message`, to the plan.
  /// Returns false if the plan can't describe that position.
  [[nodiscard]] bool add_documents(std::span<const std::byte> message,
                                   std::span<const std::byte> documents) noexcept;

  /// The sequence of new documents in `message`; empty if other data is at the plan's
  /// position.
  [[nodiscard]] std::span<const std::byte> documents_in(
      std::span<const std::byte> message) const noexcept;

 private:
  std::size_t end_ = 0;  // the offset of the last added value's end
};

}  // namespace scattergate::proxy
