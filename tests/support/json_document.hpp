#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "config/text/extended_json.hpp"
#include "wire/bson.hpp"

/// Makes BSON for tests from Extended JSON (canonical or relaxed).
namespace scattergate::tests {

/// A BSON document, made from Extended JSON. Uses config::bson_of_json(), because libbson's
/// reader reads uninitialised memory for a `$code`. Views of the document are valid while this
/// object exists. Thread-safety: immutable.
class json_document {
 public:
  /// Throws std::invalid_argument for invalid JSON.
  explicit json_document(std::string_view json) {
    auto read = config::bson_of_json(json);
    if (!read) throw std::invalid_argument(std::string{json} + ": " + read.error().what);
    document_ = *std::move(read);
  }
  json_document(const json_document&) = delete;
  json_document& operator=(const json_document&) = delete;

  /// The whole document.
  [[nodiscard]] wire::document_view view() const { return document_.view(); }

  /// The first field. Throws std::invalid_argument if there is none.
  [[nodiscard]] wire::element first() const {
    wire::document_reader reader{view()};
    wire::element field;
    if (!reader.next(field)) throw std::invalid_argument("a document without fields");
    return field;
  }

 private:
  config::bson_bytes document_;
};

}  // namespace scattergate::tests
