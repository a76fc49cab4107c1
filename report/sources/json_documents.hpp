#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/sources/input.hpp"

namespace scattergate::report {

/// Whether bytes begin a JSON array, or a JSON document of several lines: what mongosh prints.
[[nodiscard]] bool is_json_documents(std::string_view begins) noexcept;

/// The documents of an array, or one behind the other, over any number of lines, in bounded
/// memory: that of one of them.
class json_documents {
 public:
  explicit json_documents(input& from) : input_(from) {}

  /// The next document; false where there is none.
  [[nodiscard]] bool next();

  /// Its text, valid until next(); input_lines::padding bytes behind it may be read. Empty
  /// where is_too_long(), and where something else than a document stood there.
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] bool is_too_long() const noexcept { return is_too_long_; }

  /// Whether it ended inside a document. Meaningful once next() was false.
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }

 private:
  [[nodiscard]] bool fill();
  enum class found { nothing, document, something_else };
  [[nodiscard]] found skip_between();
  [[nodiscard]] bool find_end();

  input& input_;
  std::string buffer_;
  std::size_t begin_ = 0;  ///< of what isn't told yet
  std::size_t at_ = 0;     ///< what is behind begin_ and before this has been looked at
  std::size_t end_ = 0;
  std::string_view text_;
  bool is_too_long_ = false;
  bool is_cut_ = false;
};

}  // namespace scattergate::report
