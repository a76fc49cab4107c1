#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/values/error.hpp"
#include "sim/values/value_predicate.hpp"

namespace scattergate::sim {
namespace {

constexpr std::size_t word_bits = 64;

/// Bits by position. Binary data has its own length; a number is extended with its sign.
bool has_bit(const value& candidate, std::size_t position) {
  if (const auto* bytes = candidate.as<binary>()) {
    const std::size_t at = position / 8;
    if (at >= bytes->bytes.size()) return false;
    return ((static_cast<unsigned char>(bytes->bytes[at]) >> (position % 8)) & 1U) != 0;
  }
  const auto word = static_cast<std::uint64_t>(candidate.as_int64());
  return ((word >> std::min(position, word_bits - 1)) & 1U) != 0;
}

/// Whether it is an integral number or binary data.
bool has_bits(const value& candidate) {
  if (candidate.is<binary>()) return true;
  const long double number = candidate.as_long_double();
  return candidate.is_number() && std::trunc(number) == number &&
         std::abs(number) < 9223372036854775808.0L;
}

/// The positions in a mask: a list of them, or the bits set in a number or binary data.
std::vector<std::size_t> positions_of(const value& mask) {
  std::vector<std::size_t> out;
  if (const auto* list = mask.as<array>()) {
    for (const value& each : *list) {
      if (!has_bits(each) || each.as_int64() < 0) {
        throw command_failure(errc::bad_value, "bit positions must be whole, not negative");
      }
      out.push_back(static_cast<std::size_t>(each.as_int64()));
    }
    return out;
  }
  if (!has_bits(mask) || (mask.is_number() && mask.as_int64() < 0)) {
    throw command_failure(errc::failed_to_parse,
                          "a bit mask is an array, a number that isn't negative, or binary");
  }
  const auto* bytes = mask.as<binary>();
  const std::size_t count = bytes == nullptr ? word_bits : bytes->bytes.size() * 8;
  for (std::size_t i = 0; i < count; ++i) {
    if (has_bit(mask, i)) out.push_back(i);
  }
  return out;
}

class bit_match final : public value_predicate {
 public:
  bit_match(const value& mask, bool wants_set, bool wants_all)
      : positions_(positions_of(mask)), wants_set_(wants_set), wants_all_(wants_all) {}

  bool test(const value* candidate) const override {
    if (candidate == nullptr || !has_bits(*candidate)) return false;
    const auto suits = [&](std::size_t position) {
      return has_bit(*candidate, position) == wants_set_;
    };
    return wants_all_ ? std::ranges::all_of(positions_, suits)
                      : std::ranges::any_of(positions_, suits);
  }

 private:
  std::vector<std::size_t> positions_;
  bool wants_set_;
  bool wants_all_;
};

}  // namespace

predicate_ptr make_bit_test(std::string_view name, const value& operand) {
  if (name == "$bitsAllSet") return std::make_unique<bit_match>(operand, true, true);
  if (name == "$bitsAnySet") return std::make_unique<bit_match>(operand, true, false);
  if (name == "$bitsAllClear") return std::make_unique<bit_match>(operand, false, true);
  if (name == "$bitsAnyClear") return std::make_unique<bit_match>(operand, false, false);
  return nullptr;
}

}  // namespace scattergate::sim
