#include "wire/bson_writer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <bson/bson.h>

#include "wire/endian.hpp"

namespace scattergate::wire {
namespace {

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

template <typename Number>
void append_number(std::vector<std::byte>& to, Number value) {
  std::array<std::byte, sizeof value> bytes{};
  store_little(bytes.data(), value);
  append(to, bytes);
}

}  // namespace

std::string relaxed_json_of(std::span<const std::byte> document) {
  constexpr const char* unreadable = "(unreadable)";
  bson_t view;
  const auto* data = reinterpret_cast<const std::uint8_t*>(document.data());
  if (!bson_init_static(&view, data, document.size())) return unreadable;
  std::size_t length = 0;
  char* const text = bson_as_relaxed_extended_json(&view, &length);
  if (text == nullptr) return unreadable;
  std::string json{text, length};
  bson_free(text);
  return json;
}

bson_writer::bson_writer() {
  begin();
}

bson_writer::bson_writer(document_view begins_with, std::size_t expected_bytes) : starts_{0} {
  const auto bytes = begins_with.bytes();
  bytes_.reserve(std::max(expected_bytes, bytes.size()));
  append(bytes_, bytes.first(bytes.size() - 1));  // without its closing NUL
}

void bson_writer::copy(std::string_view name, const element& field) {
  raw(name, field.type(), field.value());
}

void bson_writer::document(std::string_view name, document_view content) {
  raw(name, bson_type::document, content.bytes());
}

void bson_writer::text(std::string_view name, std::string_view content) {
  head(name, bson_type::string);
  append_number(bytes_, static_cast<std::int32_t>(content.size() + 1));
  append(bytes_, std::as_bytes(std::span{content}));
  bytes_.push_back(std::byte{0});
}

void bson_writer::int32(std::string_view name, std::int32_t content) {
  head(name, bson_type::int32);
  append_number(bytes_, content);
}

void bson_writer::int64(std::string_view name, std::int64_t content) {
  head(name, bson_type::int64);
  append_number(bytes_, content);
}

void bson_writer::boolean(std::string_view name, bool content) {
  head(name, bson_type::boolean);
  bytes_.push_back(content ? std::byte{1} : std::byte{0});
}

void bson_writer::raw(std::string_view name, bson_type type, std::span<const std::byte> value) {
  head(name, type);
  append(bytes_, value);
}

void bson_writer::open(std::string_view name, bson_type type) {
  head(name, type);
  begin();
}

void bson_writer::close() {
  end();
}

std::vector<std::byte> bson_writer::take() {
  end();
  std::vector<std::byte> made = std::exchange(bytes_, {});
  begin();
  return made;
}

void bson_writer::head(std::string_view name, bson_type type) {
  bytes_.push_back(static_cast<std::byte>(type));
  append(bytes_, std::as_bytes(std::span{name}));
  bytes_.push_back(std::byte{0});
}

void bson_writer::begin() {
  starts_.push_back(bytes_.size());
  append_number(bytes_, std::int32_t{0});
}

void bson_writer::end() {
  bytes_.push_back(std::byte{0});
  const std::size_t start = starts_.back();
  starts_.pop_back();
  store_little(bytes_.data() + start, static_cast<std::int32_t>(bytes_.size() - start));
}

}  // namespace scattergate::wire
