#include "text/names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace scattergate::text {
namespace {

constexpr std::size_t longest = 40;  // longer names get no suggestion

/// Typing errors between two texts of at most `longest` characters: optimal string alignment.
std::size_t slips(std::string_view a, std::string_view b) {
  using row = std::array<std::size_t, longest + 1>;
  row before_last{};
  row last{};
  row current{};
  for (std::size_t j = 0; j <= b.size(); ++j) current[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = last;
    last = current;
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool is_same = a[i - 1] == b[j - 1];
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, last[j - 1] + (is_same ? 0 : 1)});
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped) current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
  }
  return current[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view written, const std::vector<std::string_view>& known) {
  if (written.empty() || written.size() > longest) return {};
  constexpr std::size_t letters_a_slip = 3;
  std::size_t fewest = std::max<std::size_t>(1, written.size() / letters_a_slip) + 1;
  std::string_view found;
  for (const std::string_view one : known) {
    if (one.size() > longest) continue;
    const std::size_t needed = slips(written, one);
    if (needed >= fewest) continue;
    fewest = needed;
    found = one;
  }
  return found;
}

std::string did_you_mean(std::string_view written, const std::vector<std::string_view>& known) {
  const std::string_view meant = nearest(written, known);
  return meant.empty() ? std::string{} : "; did you mean '" + std::string{meant} + "'?";
}

}  // namespace scattergate::text
