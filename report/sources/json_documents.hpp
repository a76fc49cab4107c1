#pragma once

#include <cstddef>
#include <string>
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

/// Whether bytes begin a JSON array or a multi-line JSON document, such as mongosh prints.
[[nodiscard]] bool is_json_documents(std::string_view begins) noexcept;

/// Reads the documents of an array, or consecutive documents, over any number of lines. Memory
/// is bounded by one document.
class json_documents {
 public:
  /// `from` must outlive this object.
  explicit json_documents(input& from) : input_(from) {}

  /// Reads the next document. Returns false at the end of the input, and at an incomplete
  /// document (see is_cut()).
  [[nodiscard]] bool next();

  /// The document's text, valid until next(); input_lines::padding bytes after it are
  /// readable. Empty if is_too_long(), or if the content isn't a document.
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  /// Whether the document is longer than input_lines::max_line_bytes.
  [[nodiscard]] bool is_too_long() const noexcept { return is_too_long_; }

  /// Whether the input ended inside a document. Valid once next() has returned false.
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }

 private:
  [[nodiscard]] bool fill();
  enum class found { nothing, document, something_else };
  [[nodiscard]] found skip_between();
  [[nodiscard]] bool find_end();

  input& input_;
  std::string buffer_;
  std::size_t begin_ = 0;  ///< start of the unread part
  std::size_t at_ = 0;     ///< scanned up to here
  std::size_t end_ = 0;
  std::string_view text_;
  bool is_too_long_ = false;
  bool is_cut_ = false;
};

}  // namespace scattergate::report
