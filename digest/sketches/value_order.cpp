#include "digest/sketches/value_order.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace scattergate::digest {
namespace {

/// Pearson's coefficient.
double correlation_of(std::span<const double> a, std::span<const double> b) noexcept {
  const auto n = static_cast<double>(a.size());
  double mean_a = 0;
  double mean_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / n;
    mean_b += b[i] / n;
  }
  double both = 0;
  double own_a = 0;
  double own_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean_a) * (b[i] - mean_b);
    own_a += (a[i] - mean_a) * (a[i] - mean_a);
    own_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  if (own_a == 0 || own_b == 0) return 0;
  return std::clamp(both / std::sqrt(own_a * own_b), -1.0, 1.0);
}

}  // namespace

/// Called when a query's value follows values of new documents, or the reverse. Ignores the
/// query's value and returns false. For the first value of a new document, discards all values
/// of queries and returns true.
bool value_order::change_to(bool inserts) noexcept {
  if (!inserts) return false;
  *this = {};
  is_of_inserts_ = true;
  return true;
}

void value_order::take(const value_head& value) noexcept {
  const std::uint64_t at = seen_ - 1;
  if (at < samples) {
    kept_[at] = {value, at};
    if (at + 1 < samples) {
      next_ = at + 1;
      return;
    }
  } else {
    kept_[static_cast<std::size_t>(draw() * samples)] = {value, at};
  }
  threshold_ *= std::exp(std::log(draw()) / samples);
  const double skipped = std::floor(std::log(draw()) / std::log1p(-threshold_));
  constexpr double most = 1e18;
  next_ = at + 1 + static_cast<std::uint64_t>(std::clamp(skipped, 0.0, most));
}

/// A number in (0, 1): xorshift64* (Vigna).
double value_order::draw() noexcept {
  random_ ^= random_ >> 12U;
  random_ ^= random_ << 25U;
  random_ ^= random_ >> 27U;
  const std::uint64_t drawn = random_ * 0x2545f4914f6cdd1dU;
  constexpr double scale = 0x1p-53;
  return (static_cast<double>(drawn >> 11U) + 0.5) * scale;
}

double value_order::correlation() const {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(seen_, samples));
  std::array<sample, samples> sorted = kept_;
  std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count),
            [](const sample& a, const sample& b) { return a.at < b.at; });
  std::array<double, samples> places{};
  std::array<double, samples> ranks{};
  for (std::size_t i = 0; i < count; ++i) {
    places[i] = static_cast<double>(i);
    for (std::size_t j = 0; j < count; ++j) {  // equal values share the mean of their ranks
      if (sorted[j].value < sorted[i].value) ranks[i] += 1;
      if (sorted[j].value == sorted[i].value && j != i) ranks[i] += 0.5;
    }
  }
  return correlation_of(std::span{places}.first(count), std::span{ranks}.first(count));
}

std::optional<value_order::result> value_order::measured() const {
  std::optional<result> own;
  if (seen_ >= least_values) own = result{seen_, correlation(), is_of_inserts_};
  if (!own || !others_) return own ? own : others_;
  const auto weight = static_cast<double>(own->values);
  const auto other = static_cast<double>(others_->values);
  own->correlation =
      (weight * own->correlation + other * others_->correlation) / (weight + other);
  own->values += others_->values;
  return own;
}

void value_order::add(const result& other) noexcept {
  if (other.is_of_inserts != is_of_inserts_ && !change_to(other.is_of_inserts)) return;
  if (!others_) {
    others_ = other;
    return;
  }
  const auto before = static_cast<double>(others_->values);
  const auto weight = static_cast<double>(other.values);
  others_->correlation =
      (before * others_->correlation + weight * other.correlation) / (before + weight);
  others_->values += other.values;
}

}  // namespace scattergate::digest
