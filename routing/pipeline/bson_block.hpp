#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// Writes one BSON document into a borrowed block. Without a block, only computes the
/// document's size. Thread-safety: one thread at a time.
class bson_block {
 public:
  /// Only computes the size.
  bson_block() = default;
  /// Writes into `room`, which must outlive this object.
  explicit bson_block(std::span<std::byte> room) noexcept : room_(room), writes_(true) {}

  /// Adds a field named `key` with the type and value of `value`, whose own name is ignored.
  void add(std::string_view key, const wire::element& value) noexcept;

  /// Adds a string field whose text is `start` followed by `rest`.
  void add_text(std::string_view key, std::string_view start, std::string_view rest) noexcept;

  /// Opens a nested document or array. Pass the result to close().
  [[nodiscard]] std::size_t open(wire::bson_type type, std::string_view key) noexcept;
  /// Opens the document itself. Pass the result to close().
  [[nodiscard]] std::size_t open_root() noexcept { return reserve_length(); }
  /// Closes the document or array that was opened last. `opened`: what open() or open_root()
  /// returned.
  void close(std::size_t opened) noexcept;

  /// Discards everything after the first `size` bytes.
  void take_back(std::size_t size) noexcept { size_ = size; }

  /// Marks the document as invalid: is_sound() then returns false.
  void invalidate() noexcept { sound_ = false; }

  /// Whether the document is valid: invalidate() wasn't called, and there was enough room.
  [[nodiscard]] bool is_sound() const noexcept { return sound_; }

  /// The current size, in bytes.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_; }

  /// The size of the block that is needed, in bytes; includes parts that take_back() discarded.
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

/// Builds a BSON field in `memory`, and returns it. `write(bson_block&)` must add one field. It
/// is called twice, to compute the size and to write, and must add the same field both times.
/// std::nullopt if it adds no field, if it calls invalidate(), or if the scratch memory is
/// exhausted.
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
  const auto room = memory.allocate<std::byte>(counted.room_needed());
  bson_block written{room};
  if (room.empty() || !fill(written)) return std::nullopt;
  const auto whole = wire::document_view::from(room.first(written.size_bytes()));
  wire::element field;
  if (!whole || !wire::document_reader{*whole}.next(field)) return std::nullopt;
  return field;
}

}  // namespace scattergate::routing
