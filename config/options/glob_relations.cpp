#include "config/options/glob_relations.hpp"

#include <algorithm>
#include <bitset>
#include <set>
#include <string>
#include <vector>

namespace scattergate::config {
namespace {

/// The longest glob that is analysed, in bytes: the limit of a rule's glob.
constexpr std::size_t max_glob = 256;

/// A set of positions in a glob: before each of its bytes, or at its end.
using places = std::bitset<max_glob + 1>;

/// Adds the positions after stars, which may match nothing.
places past_stars(std::string_view glob, places at) {
  for (std::size_t i = 0; i < glob.size(); ++i) {
    if (at[i] && glob[i] == '*') at.set(i + 1);
  }
  return at;
}

/// The positions after one more byte.
places after(std::string_view glob, const places& at, char byte) {
  places next;
  for (std::size_t i = 0; i < glob.size(); ++i) {
    if (!at[i]) continue;
    if (glob[i] == '*')
      next.set(i);
    else if (glob[i] == '?' || glob[i] == byte)
      next.set(i + 1);
  }
  return past_stars(glob, next);
}

places at_start(std::string_view glob) {
  places at;
  at.set(0);
  return past_stars(glob, at);
}

/// One byte of each kind that the two globs distinguish: the bytes in them, a dot, and one
/// other byte.
std::string kinds_of_bytes(std::string_view one, std::string_view other) {
  std::set<char> distinct{'.'};
  distinct.insert(one.begin(), one.end());
  distinct.insert(other.begin(), other.end());
  distinct.erase('*');
  distinct.erase('?');
  std::string kinds(distinct.begin(), distinct.end());
  for (int code = 0; code < 256; ++code) {
    if (distinct.contains(static_cast<char>(code))) continue;
    kinds += static_cast<char>(code);
    break;
  }
  return kinds;
}

/// The state of two globs that read the same text, and whether the text had a dot.
struct reading {
  places one;
  places other;
  bool has_dot = false;
};

struct by_content {
  static bool less(const places& a, const places& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] != b[i]) return b[i];
    }
    return false;
  }
  bool operator()(const reading& a, const reading& b) const {
    if (a.has_dot != b.has_dot) return b.has_dot;
    if (a.one != b.one) return less(a.one, b.one);
    return less(a.other, b.other);
  }
};

/// Whether some text leads both globs to positions for which `is_found` holds. `is_dead` prunes
/// hopeless states.
template <typename IsFound, typename IsDead>
std::optional<bool> search(std::string_view one, std::string_view other, texts of,
                           glob_budget& budget, IsFound is_found, IsDead is_dead) {
  if (one.size() > max_glob || other.size() > max_glob) return std::nullopt;
  const std::string bytes = kinds_of_bytes(one, other);
  std::set<reading, by_content> seen;
  std::vector<reading> open{{at_start(one), at_start(other), of == texts::any}};
  while (!open.empty()) {
    const reading now = open.back();
    open.pop_back();
    if (is_dead(now) || !seen.insert(now).second) continue;
    if (now.has_dot && is_found(now)) return true;
    for (const char byte : bytes) {
      if (!budget.spend()) return std::nullopt;
      open.push_back({after(one, now.one, byte), after(other, now.other, byte),
                      now.has_dot || byte == '.'});
    }
  }
  return false;
}

}  // namespace

std::optional<bool> covers(std::string_view wide, std::string_view narrow, texts of,
                           glob_budget& budget) {
  if (wide == narrow || wide == "*") return true;
  const auto escapes = search(
      wide, narrow, of, budget,
      [&](const reading& at) { return at.other[narrow.size()] && !at.one[wide.size()]; },
      [](const reading& at) { return at.other.none(); });
  return escapes ? std::optional{!*escapes} : std::nullopt;
}

std::optional<bool> meet(std::string_view one, std::string_view other, texts of,
                         glob_budget& budget) {
  return search(
      one, other, of, budget,
      [&](const reading& at) { return at.one[one.size()] && at.other[other.size()]; },
      [](const reading& at) { return at.one.none() || at.other.none(); });
}

}  // namespace scattergate::config
