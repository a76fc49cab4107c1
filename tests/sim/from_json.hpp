#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <bson/bson.h>

#include "sim/values/bson_codec.hpp"

namespace scattergate::sim {

/// Converts Extended JSON to a document of the simulator. Throws std::invalid_argument for
/// invalid JSON.
[[nodiscard]] inline document from_json(std::string_view text) {
  bson_error_t error;
  bson_t* const made = bson_new_from_json(reinterpret_cast<const std::uint8_t*>(text.data()),
                                          static_cast<ssize_t>(text.size()), &error);
  if (made == nullptr) throw std::invalid_argument(error.message);
  const auto read = std::as_bytes(std::span{bson_get_data(made), made->len});
  const std::vector<std::byte> bytes{read.begin(), read.end()};
  bson_destroy(made);
  return decode(wire::document_view::from(bytes).value());
}

}  // namespace scattergate::sim
