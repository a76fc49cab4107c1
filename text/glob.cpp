#include "text/glob.hpp"

#include <cstddef>

namespace scattergate::text {

bool glob_matches(std::string_view glob, std::string_view text) noexcept {
  std::size_t g = 0;
  std::size_t t = 0;
  // Where to resume after a mismatch: after the last star, which then matches one more byte.
  // Earlier stars needn't be tried again, so the number of tries doesn't multiply.
  std::size_t behind_star = std::string_view::npos;
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      behind_star = ++g;
      star_text = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (behind_star != std::string_view::npos) {
      g = behind_star;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

}  // namespace scattergate::text
