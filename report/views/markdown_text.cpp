#include "report/views/markdown_text.hpp"

#include <algorithm>

#include "text/utf8.hpp"

namespace scattergate::report {
namespace {

/// The length of the longest run of backticks.
std::size_t longest_run(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char letter : text) {
    run = letter == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string code(std::string_view text) {
  const std::string plain = text::to_plain(text);
  if (plain.empty()) return {};
  const std::string fence(longest_run(plain) + 1, '`');
  // Markdown removes a blank on both sides; without it a backtick at either end would join the
  // fence.
  const bool is_padded = plain.front() == '`' || plain.back() == '`' || plain.front() == ' ';
  return is_padded ? fence + " " + plain + " " + fence : fence + plain + fence;
}

std::string code_in_cell(std::string_view text) {
  std::string cell;
  for (const char letter : code(text)) {
    if (letter == '|') cell += '\\';
    cell += letter;
  }
  return cell;
}

std::string fenced(std::string_view text, std::string_view language) {
  const std::string fence(std::max<std::size_t>(3, longest_run(text) + 1), '`');
  return fence + std::string{language} + "\n" + std::string{text} + "\n" + fence + "\n";
}

}  // namespace scattergate::report
