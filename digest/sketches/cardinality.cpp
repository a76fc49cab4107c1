#include "digest/sketches/cardinality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scattergate::digest {
namespace {

/// The characters that stand for the ranks in text(), in order of rank.
constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Ertl's sigma: corrects for registers that are still 0.
double sigma(double x) noexcept {
  if (x == 1) return std::numeric_limits<double>::infinity();
  double y = 1;
  double z = x;
  for (double before = -1; z != before;) {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  }
  return z;
}

/// Ertl's tau: corrects for registers at their maximum.
double tau(double x) noexcept {
  if (x == 0 || x == 1) return 0;
  double y = 1;
  double z = 1 - x;
  for (double before = -1; z != before;) {
    x = std::sqrt(x);
    before = z;
    y *= 0.5;
    z -= (1 - x) * (1 - x) * y;
  }
  return z / 3;
}

}  // namespace

void cardinality::add(const cardinality& other) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    registers_[i] = std::max(registers_[i], other.registers_[i]);
  }
}

double cardinality::estimate() const noexcept {
  std::array<std::uint32_t, max_rank + 1> counts{};
  for (const std::uint8_t rank : registers_) ++counts[rank];
  constexpr auto m = static_cast<double>(size);
  if (counts[0] == size) return 0;
  double sum = m * tau(1 - counts[max_rank] / m);
  for (unsigned rank = max_rank - 1; rank >= 1; --rank) sum = 0.5 * (sum + counts[rank]);
  sum += m * sigma(counts[0] / m);
  constexpr double alpha = 0.721347520444481703680;  // 1 / (2 ln 2)
  return alpha * m * m / sum;
}

std::string cardinality::text() const {
  std::string made(size, ' ');
  std::ranges::transform(registers_, made.begin(),
                         [](std::uint8_t rank) { return alphabet[rank]; });
  return made;
}

std::optional<cardinality> cardinality::from(std::string_view text) {
  if (text.size() != size) return std::nullopt;
  cardinality made;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t rank = alphabet.find(text[i]);
    if (rank > max_rank) return std::nullopt;
    made.registers_[i] = static_cast<std::uint8_t>(rank);
  }
  return made;
}

}  // namespace scattergate::digest
