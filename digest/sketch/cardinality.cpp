#include "digest/sketch/cardinality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace scattergate::digest {
namespace {

/// x + the sum of x^(2^k) 2^(k-1), k = 1, 2, ...
double sigma(double x) noexcept {
  if (x == 1.0) return std::numeric_limits<double>::infinity();
  double sum = x;
  double weight = 1.0;
  for (double before = -1.0; sum != before;) {
    before = sum;
    x *= x;
    sum += x * weight;
    weight += weight;
  }
  return sum;
}

/// (1 - x - the sum of (1 - x^(2^-k))^2 2^-k, k = 1, 2, ...) / 3
double tau(double x) noexcept {
  if (x == 0.0 || x == 1.0) return 0.0;
  double sum = 1.0 - x;
  double weight = 1.0;
  for (double before = -1.0; sum != before;) {
    before = sum;
    x = std::sqrt(x);
    weight *= 0.5;
    sum -= (1.0 - x) * (1.0 - x) * weight;
  }
  return sum / 3.0;
}

}  // namespace

void cardinality::add(const cardinality& other) noexcept {
  std::ranges::transform(registers_, other.registers_, registers_.begin(),
                         [](std::uint8_t a, std::uint8_t b) { return std::max(a, b); });
}

double cardinality::estimate() const noexcept {
  constexpr double m = registers;
  std::array<std::uint32_t, highest + 1> how_many{};
  for (const std::uint8_t rank : registers_) ++how_many[rank];
  double sum = m * tau(1.0 - how_many[highest] / m);
  for (std::size_t rank = highest - 1; rank >= 1; --rank) sum = 0.5 * (sum + how_many[rank]);
  sum += m * sigma(how_many[0] / m);
  return m * m / (2.0 * std::numbers::ln2 * sum);
}

}  // namespace scattergate::digest
