#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/bson.hpp"

namespace scattergate::wire {

/// Formats a BSON document as relaxed Extended JSON, for people to read. Returns "(unreadable)"
/// if libbson can't read the document. Allocates.
[[nodiscard]] std::string relaxed_json_of(std::span<const std::byte> document);

/// Builds a BSON document, field by field. Allocates, so don't use it for each forwarded
/// message. REQUIRES: names contain no NUL.
class bson_writer {
 public:
  bson_writer();
  /// Starts with the fields of `begins_with`. `expected_bytes`: the expected size of the
  /// document, to reserve memory.
  explicit bson_writer(document_view begins_with, std::size_t expected_bytes = 0);

  /// Copies a field, with its name.
  void copy(const element& field) { copy(field.key(), field); }
  /// Copies a field under another name.
  void copy(std::string_view name, const element& field);

  /// Appends a nested document. In an array, `name` is the index.
  void document(std::string_view name, document_view content);

  /// Appends a string.
  void text(std::string_view name, std::string_view content);
  /// Appends an int32.
  void int32(std::string_view name, std::int32_t content);
  /// Appends an int64.
  void int64(std::string_view name, std::int64_t content);
  /// Appends a boolean.
  void boolean(std::string_view name, bool content);

  /// Appends a field. `value`: the field's value in BSON encoding, without type and name.
  void raw(std::string_view name, bson_type type, std::span<const std::byte> value);

  /// Opens a nested document, to which all fields are appended until close().
  void open_document(std::string_view name) { open(name, bson_type::document); }
  /// Opens a nested array, to which all members are appended until close().
  void open_array(std::string_view name) { open(name, bson_type::array); }
  /// Closes the nested document or array that was opened last.
  void close();

  /// The size of the document so far, without the closing NULs of open documents.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_.size(); }

  /// Returns the document and starts a new one. REQUIRES: no nested document or array is open.
  [[nodiscard]] std::vector<std::byte> take();

 private:
  void open(std::string_view name, bson_type type);
  void head(std::string_view name, bson_type type);
  void begin();
  void end();

  std::vector<std::byte> bytes_;
  std::vector<std::size_t> starts_;  // where each open document starts in bytes_
};

}  // namespace scattergate::wire
