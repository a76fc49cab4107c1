#include "report/sources/json_documents.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "report/sources/input.hpp"
#include "wire/endian.hpp"
#include "wire/limits.hpp"

namespace scattergate::report {
namespace {

using size_type = std::uint32_t;

bool is_possible_document_size(size_type size) {
  return size >= wire::limits::min_document_bytes && size <= wire::limits::max_document_bytes;
}

bool is_type(std::byte letter) {
  const auto type = static_cast<wire::bson_type>(letter);
  return (letter >= std::byte{1} && type <= wire::bson_type::decimal128) ||
         type == wire::bson_type::max_key || type == wire::bson_type::min_key;
}

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool may_stand_between(char letter) {
  return blanks.find(letter) != blanks.npos || letter == ',' || letter == '[' ||
         letter == ']' || byte_order_mark.find(letter) != byte_order_mark.npos;
}

}  // namespace

/// A size, the type of a first field, and a name without control characters.
bool is_bson(std::string_view begins) noexcept {
  constexpr std::size_t head = sizeof(size_type) + 1;
  if (begins.size() <= head) return false;
  if (!is_possible_document_size(wire::load_little<size_type>(begins.data()))) return false;
  if (!is_type(static_cast<std::byte>(begins[sizeof(size_type)]))) return false;
  const std::string_view rest = begins.substr(head);
  const std::string_view name = rest.substr(0, rest.find('\0'));
  return name.size() < rest.size() && !name.empty() &&
         std::none_of(name.begin(), name.end(),
                      [](char letter) { return static_cast<unsigned char>(letter) < ' '; });
}

bool bson_documents::next() {
  if (input_.peek(1).empty()) return false;
  std::array<char, sizeof(size_type)> head{};
  const bool is_whole = input_.fill(head);
  const auto size = wire::load_little<size_type>(head.data());
  is_corrupt_ = !is_whole || !is_possible_document_size(size);
  if (is_corrupt_) return false;
  bytes_.resize(size);
  std::copy(head.begin(), head.end(), bytes_.begin());
  const bool is_filled = input_.fill(std::span{bytes_}.subspan(head.size()));
  const auto document = wire::document_view::from(std::as_bytes(std::span{bytes_}));
  is_corrupt_ = !is_filled || !document;
  if (document) document_ = *document;
  return !is_corrupt_;
}

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
