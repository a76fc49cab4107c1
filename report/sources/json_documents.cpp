#include "report/sources/json_documents.hpp"

#include <algorithm>
#include <cstring>

#include "report/sources/input_block.hpp"

namespace scattergate::report {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool may_stand_between(char letter) {
  return blanks.find(letter) != blanks.npos || letter == ',' || letter == '[' ||
         letter == ']' || byte_order_mark.find(letter) != byte_order_mark.npos;
}

}  // namespace

bool is_json_documents(std::string_view begins) noexcept {
  if (begins.starts_with(byte_order_mark)) begins.remove_prefix(byte_order_mark.size());
  const auto skip = [&](std::string_view what) {
    begins.remove_prefix(std::min(begins.find_first_not_of(what), begins.size()));
  };
  skip(blanks);
  if (begins.starts_with('[')) {
    begins.remove_prefix(1);
    skip(blanks);
    return begins.empty() || begins.front() == '{' || begins.front() == ']';
  }
  if (!begins.starts_with('{')) return false;
  begins.remove_prefix(1);
  skip(" \t\r");
  return begins.starts_with('\n');
}

bool json_documents::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    at_ -= begin_;
    begin_ = 0;
  }
  const std::size_t needed = end_ + input_block_bytes + input_lines::padding;
  if (buffer_.size() < needed) buffer_.resize(std::max(buffer_.size() * 2, needed));
  const std::size_t room = buffer_.size() - input_lines::padding - end_;
  const std::size_t more = input_.read({buffer_.data() + end_, room});
  end_ += more;
  return more != 0;
}

/// Skips to the next document, or past a line with other content.
json_documents::found json_documents::skip_between() {
  bool is_clean = true;
  for (begin_ = at_;; begin_ = at_) {
    if (at_ == end_ && !fill()) return is_clean ? found::nothing : found::something_else;
    const char letter = buffer_[at_];
    if (letter == '{') return is_clean ? found::document : found::something_else;
    ++at_;
    if (letter == '\n' && !is_clean) return found::something_else;
    is_clean = is_clean && may_stand_between(letter);
  }
}

/// Finds the end of the document that begins here.
bool json_documents::find_end() {
  std::size_t depth = 0;
  bool is_in_text = false;
  bool is_escaped = false;
  for (;; ++at_) {
    if (at_ - begin_ > input_lines::max_line_bytes) {
      is_too_long_ = true;
      begin_ = at_;
    }
    if (at_ == end_ && !fill()) return false;
    const char letter = buffer_[at_];
    if (is_in_text) {
      if (!is_escaped && letter == '"') is_in_text = false;
      is_escaped = !is_escaped && letter == '\\';
    } else if (letter == '"') {
      is_in_text = true;
    } else if (letter == '{' || letter == '[') {
      ++depth;
    } else if (letter == '}' || letter == ']') {
      if (--depth == 0) break;
    }
  }
  ++at_;
  return true;
}

bool json_documents::next() {
  text_ = {};
  is_too_long_ = false;
  const found what = skip_between();
  if (what != found::document) return what == found::something_else;
  if (!find_end()) {
    is_cut_ = true;
    return false;
  }
  if (!is_too_long_) text_ = {buffer_.data() + begin_, at_ - begin_};
  return true;
}

}  // namespace scattergate::report
