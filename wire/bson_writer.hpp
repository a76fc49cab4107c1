#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wire/bson.hpp"

namespace scattergate::wire {

/// Writes one BSON document, mostly of what stands in others. For cold places: it allocates.
/// Names and texts must hold no NUL where BSON forbids one: what comes from a document_reader
/// never does.
class bson_writer {
 public:
  bson_writer();
  /// Goes on behind the fields of another document.
  explicit bson_writer(document_view begins_with, std::size_t expected_bytes = 0);

  /// A copy of a field, under its own name or another.
  void copy(const element& field) { copy(field.key(), field); }
  void copy(std::string_view name, const element& field);

  /// A whole document, as a field or, in an array, as its next member.
  void document(std::string_view name, document_view content);

  void text(std::string_view name, std::string_view content);
  void int32(std::string_view name, std::int32_t content);
  void int64(std::string_view name, std::int64_t content);
  void boolean(std::string_view name, bool content);

  /// A value as it stands in BSON, without type and name.
  void raw(std::string_view name, bson_type type, std::span<const std::byte> value);

  /// What follows is inside, until close().
  void open_document(std::string_view name) { open(name, bson_type::document); }
  void open_array(std::string_view name) { open(name, bson_type::array); }
  void close();

  [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_.size(); }

  /// The finished document. REQUIRES: all that was opened is closed. The writer starts anew.
  [[nodiscard]] std::vector<std::byte> take();

 private:
  void open(std::string_view name, bson_type type);
  void head(std::string_view name, bson_type type);
  void begin();
  void end();

  std::vector<std::byte> bytes_;
  std::vector<std::size_t> starts_;  // of the documents that are open
};

}  // namespace scattergate::wire
