#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// Writes one BSON document into a block that was lent, or without one only counts what it
/// would take.
class bson_block {
 public:
  bson_block() = default;
  explicit bson_block(std::span<std::byte> room) noexcept : room_(room), writes_(true) {}

  void add(std::string_view key, const wire::element& value) noexcept;

  /// A string made of two pieces.
  void add_text(std::string_view key, std::string_view start, std::string_view rest) noexcept;

  /// A document or array; what follows is inside, until close() with what this gave.
  [[nodiscard]] std::size_t open(wire::bson_type type, std::string_view key) noexcept;
  [[nodiscard]] std::size_t open_root() noexcept { return reserve_length(); }
  void close(std::size_t opened) noexcept;

  /// Undoes what was written since there were so many bytes.
  void take_back(std::size_t size) noexcept { size_ = size; }

  /// What is to be written can't be: the document is no good.
  void spoil() noexcept { sound_ = false; }

  /// False once it was spoilt, or something found no room.
  [[nodiscard]] bool is_sound() const noexcept { return sound_; }

  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_; }

  /// For all that was written, what was taken back too.
  [[nodiscard]] std::size_t room_needed() const noexcept { return most_; }

 private:
  void put(const void* from, std::size_t bytes) noexcept;
  void begin(wire::bson_type type, std::string_view key) noexcept;
  std::size_t reserve_length() noexcept;

  std::span<std::byte> room_;
  std::size_t size_ = 0;
  std::size_t most_ = 0;
  bool writes_ = false;
  bool sound_ = true;
};

/// The one field that `write` writes, in `memory`; nothing where it writes none, or the scratch
/// is exhausted. `write` is called twice, to count and to write, and does the same each time.
template <typename Write>
[[nodiscard]] std::optional<wire::element> field_written(scratch& memory,
                                                         Write write) noexcept {
  const auto fill = [&write](bson_block& block) {
    const std::size_t root = block.open_root();
    write(block);
    block.close(root);
    return block.is_sound();
  };
  bson_block counted;
  if (!fill(counted)) return std::nullopt;
  const auto room = memory.take<std::byte>(counted.room_needed());
  bson_block written{room};
  if (room.empty() || !fill(written)) return std::nullopt;
  const auto whole = wire::document_view::from(room.first(written.size_bytes()));
  wire::element field;
  if (!whole || !wire::document_reader{*whole}.next(field)) return std::nullopt;
  return field;
}

}  // namespace scattergate::routing
