#include "wire/relaxed_json.hpp"

#include <cstdint>

#include <bson/bson.h>

namespace scattergate::wire {

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

}  // namespace scattergate::wire
