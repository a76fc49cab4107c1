#include "digest/test_name.hpp"

#include <algorithm>
#include <string_view>

#include "text/percent.hpp"
#include "text/utf8.hpp"

namespace scattergate::digest {
namespace {

constexpr std::string_view name_begins = "test='";
constexpr std::string_view word_separators = ", ";

bool is_separator(char c) noexcept {
  return word_separators.find(c) != word_separators.npos;
}

/// The position of `test='` as a word of its own; npos if there is none.
std::size_t find_name(std::string_view comment) noexcept {
  std::size_t at = comment.find(name_begins);
  while (at != comment.npos && at != 0 && !is_separator(comment[at - 1])) {
    at = comment.find(name_begins, at + 1);
  }
  return at;
}

}  // namespace

std::string take_test_name(std::string& comment) {
  std::size_t begin = find_name(comment);
  if (begin == comment.npos) return {};
  const std::size_t name = begin + name_begins.size();
  const std::size_t quote = std::min(comment.find('\'', name), comment.size());
  std::string found = text::to_plain(
      text::percent_decoded(std::string_view{comment}.substr(name, quote - name)));
  std::size_t end = std::min(quote + 1, comment.size());
  if (begin != 0) {
    --begin;
  } else {
    while (end != comment.size() && is_separator(comment[end])) ++end;
  }
  comment.erase(begin, end - begin);
  return found;
}

}  // namespace scattergate::digest
