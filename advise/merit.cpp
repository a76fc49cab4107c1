#include "advise/merit.hpp"

#include <cmath>

namespace scattergate::advise {
namespace {

long long in_thousandths(double value) noexcept {
  constexpr double thousand = 1000;
  return std::llround(value * thousand);
}

}  // namespace

std::strong_ordering merit::compare(const merit& other) const noexcept {
  if (const auto by = forbids_unique <=> other.forbids_unique; by != 0) return by;
  if (const auto by = is_hot <=> other.is_hot; by != 0) return by;
  if (const auto by = in_thousandths(per_command) <=> in_thousandths(other.per_command);
      by != 0) {
    return by;
  }
  if (const auto by = in_thousandths(per_minute) <=> in_thousandths(other.per_minute);
      by != 0) {
    return by;
  }
  return fields <=> other.fields;
}

merit merit_of(const measures& of, bool forbids_unique, std::size_t fields,
               std::size_t shards) noexcept {
  merit made;
  made.forbids_unique = forbids_unique;
  const auto hottest = of.values.hottest();
  made.is_hot = hottest && *hottest * static_cast<double>(shards) > 1;
  made.per_command = of.per_command();
  made.per_minute = of.values.per_minute.value_or(1);
  made.fields = fields;
  return made;
}

}  // namespace scattergate::advise
