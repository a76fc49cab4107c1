#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "report/sources/input.hpp"
#include "wire/bson.hpp"

namespace scattergate::report {

/// Whether bytes begin a BSON document: mongodump's .bson files hold nothing else.
[[nodiscard]] bool is_bson(std::string_view begins) noexcept;

/// BSON documents, one behind the other.
class bson_documents {
 public:
  explicit bson_documents(input& from) : input_(from) {}

  /// The next one; false where there is none.
  [[nodiscard]] bool next();

  /// Valid until next().
  [[nodiscard]] wire::document_view document() const noexcept { return document_; }

  /// Whether it ended inside a document, or at what can't be one. Meaningful once next() was
  /// false.
  [[nodiscard]] bool is_spoilt() const noexcept { return is_spoilt_; }

 private:
  input& input_;
  std::vector<char> bytes_;
  wire::document_view document_;
  bool is_spoilt_ = false;
};

}  // namespace scattergate::report
