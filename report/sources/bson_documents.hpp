#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "report/sources/input.hpp"
#include "wire/bson.hpp"

namespace scattergate::report {

/// Whether bytes begin a BSON document; mongodump's .bson files contain nothing else.
[[nodiscard]] bool is_bson(std::string_view begins) noexcept;

/// Reads consecutive BSON documents.
class bson_documents {
 public:
  explicit bson_documents(input& from) : input_(from) {}

  /// Reads the next document; false if there is none.
  [[nodiscard]] bool next();

  /// Valid until next().
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
