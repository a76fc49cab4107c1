#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

#include "wire/bson.hpp"

/// BSON for tests, written as Extended JSON (canonical or relaxed).
namespace scattergate::tests {

/// Owns the document that a JSON text describes. Views of it live as long as it does.
/// Thread-safety: one thread.
class json_document {
 public:
  explicit json_document(std::string_view json) {
    bson_error_t error;
    if (!bson_init_from_json(&document_, json.data(), static_cast<ssize_t>(json.size()),
                             &error)) {
      throw std::invalid_argument(std::string{json} + ": " + error.message);
    }
  }
  ~json_document() { bson_destroy(&document_); }
  json_document(const json_document&) = delete;
  json_document& operator=(const json_document&) = delete;

  [[nodiscard]] wire::document_view view() const {
    const auto* data = reinterpret_cast<const std::byte*>(bson_get_data(&document_));
    return wire::document_view::from({data, document_.len}).value();
  }

  /// Its first field.
  [[nodiscard]] wire::element first() const {
    wire::document_reader reader{view()};
    wire::element field;
    if (!reader.next(field)) throw std::invalid_argument("a document without fields");
    return field;
  }

 private:
  bson_t document_;
};

}  // namespace scattergate::tests
