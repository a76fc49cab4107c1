#include "text/ci_commands.hpp"

#include <utility>

namespace scattergate::text {

std::string without_ci_commands(std::string text, std::string_view hash) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string broken;
  std::size_t kept = 0;  // everything before it has been copied
  for (std::size_t at = text.find("##"); at != text.npos; at = text.find("##", at + 1)) {
    const std::size_t end = text.find_first_not_of(letters, at + 2);
    if (end == text.npos || text[end] != '[') continue;
    broken.append(text, kept, at + 1 - kept).append(hash);
    kept = at + 2;
  }
  if (kept == 0) return text;
  return broken.append(text, kept);
}

}  // namespace scattergate::text
