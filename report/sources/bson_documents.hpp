#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "report/sources/input.hpp"
#include "wire/bson.hpp"

namespace scattergate::report {

/// Whether an input looks like consecutive BSON documents, as in mongodump's .bson files.
/// `begins`: the input's first bytes, up to the end of the first field's name or more.
[[nodiscard]] bool is_bson(std::string_view begins) noexcept;

/// Reads consecutive BSON documents, as in mongodump's .bson files.
class bson_documents {
 public:
  /// `from` must outlive this object.
  explicit bson_documents(input& from) : input_(from) {}

  /// Reads the next document. Returns false at the end of the input, and at a corrupt document
  /// (see is_corrupt()).
  [[nodiscard]] bool next();

  /// The document that was read last; valid until next().
  [[nodiscard]] wire::document_view document() const noexcept { return document_; }

  /// Whether the input ended inside a document or at invalid bytes. Valid once next() has
  /// returned false.
  [[nodiscard]] bool is_corrupt() const noexcept { return is_corrupt_; }

 private:
  input& input_;
  std::vector<char> bytes_;
  wire::document_view document_;
  bool is_corrupt_ = false;
};

}  // namespace scattergate::report
