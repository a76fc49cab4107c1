#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "routing/keys/key_encoding.hpp"
#include "tests/routing/value_support.hpp"
#include "wire/endian.hpp"

namespace scattergate::routing {
namespace {

using namespace scattergate::routing_tests;
using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

/// Each line holds equal numbers and is less than the next.
const std::vector<std::vector<std::string_view>> ascending_numbers = {
    {R"({"$numberDouble": "NaN"})", R"({"$numberDecimal": "NaN"})"},
    {R"({"$numberDouble": "-Infinity"})", R"({"$numberDecimal": "-Infinity"})"},
    {R"({"$numberDecimal": "-9.999999999999999999999999999999999E+6144"})"},
    {R"({"$numberDecimal": "-1.8E+308"})"},
    {R"({"$numberDouble": "-1.7976931348623157E308"})"},
    {R"({"$numberLong": "-9223372036854775808"})",
     R"({"$numberDouble": "-9.223372036854775808E18"})",
     R"({"$numberDecimal": "-9223372036854775808"})"},
    {R"({"$numberLong": "-9223372036854775807"})",
     R"({"$numberDecimal": "-9223372036854775807"})"},
    {R"({"$numberLong": "-9007199254740993"})", R"({"$numberDecimal": "-9007199254740993"})"},
    {R"({"$numberLong": "-9007199254740992"})", R"({"$numberDouble": "-9007199254740992"})"},
    {R"({"$numberInt": "-2147483648"})", R"({"$numberDouble": "-2147483648"})"},
    {R"({"$numberDouble": "-1.5"})", R"({"$numberDecimal": "-1.500"})"},
    {R"({"$numberDouble": "-0.1"})"},  // the double is a little below
    {R"({"$numberDecimal": "-0.1"})"},
    {R"({"$numberDouble": "-5E-324"})"},
    {R"({"$numberDecimal": "-1E-6176"})"},
    {R"({"$numberInt": "0"})", R"({"$numberLong": "0"})", R"({"$numberDouble": "0"})",
     R"({"$numberDouble": "-0.0"})", R"({"$numberDecimal": "0"})",
     R"({"$numberDecimal": "-0"})", R"({"$numberDecimal": "0E+100"})"},
    {R"({"$numberDecimal": "1E-6176"})"},
    {R"({"$numberDecimal": "2E-6176"})"},
    {R"({"$numberDecimal": "4.9E-324"})"},
    {R"({"$numberDouble": "5E-324"})"},
    {R"({"$numberDecimal": "5E-324"})"},
    {R"({"$numberDecimal": "0.1"})",
     R"({"$numberDecimal": "0.1000000000000000000000000000000000"})"},
    {R"({"$numberDecimal": "0.1000000000000000000000000000000001"})"},
    {R"({"$numberDouble": "0.1"})"},
    {R"({"$numberInt": "1"})", R"({"$numberDecimal": "1"})", R"({"$numberDecimal": "1.0"})"},
    {R"({"$numberDecimal": "1.000000000000000000000000000000001"})"},
    {R"({"$numberDecimal": "2.2"})"},
    {R"({"$numberDouble": "2.2"})"},
    {R"({"$numberLong": "9007199254740992"})", R"({"$numberDouble": "9007199254740992"})"},
    {R"({"$numberDecimal": "9007199254740992.5"})"},
    {R"({"$numberLong": "9007199254740993"})", R"({"$numberDecimal": "9007199254740993.00"})"},
    {R"({"$numberLong": "9007199254740994"})", R"({"$numberDouble": "9007199254740994"})"},
    {R"({"$numberLong": "9223372036854775807"})"},
    {R"({"$numberDouble": "9.223372036854775808E18"})",
     R"({"$numberDecimal": "9223372036854775808"})"},
    {R"({"$numberDecimal": "9999999999999999999999999999999998"})"},
    {R"({"$numberDecimal": "9999999999999999999999999999999999"})"},
    {R"({"$numberDouble": "1.7976931348623157E308"})"},
    {R"({"$numberDecimal": "1.8E+308"})"},
    {R"({"$numberDecimal": "9.999999999999999999999999999999999E+6144"})"},
    {R"({"$numberDouble": "Infinity"})", R"({"$numberDecimal": "Infinity"})"},
};

TEST(number_order, is_exact_across_types) {
  for (std::size_t i = 0; i != ascending_numbers.size(); ++i) {
    for (const auto left : ascending_numbers[i]) {
      for (std::size_t j = 0; j != ascending_numbers.size(); ++j) {
        for (const auto right : ascending_numbers[j]) {
          EXPECT_EQ(sign(compare_encoded(encoded(left), encoded(right))), (i > j) - (i < j))
              << left << " and " << right;
        }
      }
    }
  }
}

TEST(number_order, coefficients_of_more_than_34_digits_are_zero) {
  // 10^34, and the combination field's other form.
  const std::array<std::pair<std::uint64_t, std::uint64_t>, 2> forms{
      {{0x3041ed09bead87c0ULL, 0x378d8e6400000000ULL}, {0x6c10000000000000ULL, 1}}};
  for (const auto& [high, low] : forms) {
    std::array<std::byte, 16> value;
    wire::store_little(value.data(), low);
    wire::store_little(value.data() + 8, high);
    owned_scratch<> room;
    const wire::element odd{"v", wire::bson_type::decimal128, value};
    EXPECT_EQ(hex(encode(odd, room.memory)), hex(encoded("0"))) << std::hex << high;
  }
}

/// A finite number, both as BSON and as the fraction that it exactly is.
struct sample {
  wire::bson_type type;
  std::array<std::byte, 16> value;
  cpp_rational exact;

  [[nodiscard]] bytes encode() const {
    const std::size_t size = type == wire::bson_type::decimal128 ? 16 : 8;
    owned_scratch<> room;
    const auto view = routing::encode({"v", type, std::span{value}.first(size)}, room.memory);
    return {view.begin(), view.end()};
  }
};

sample of_int64(std::int64_t number) {
  sample made{wire::bson_type::int64, {}, cpp_rational{number}};
  wire::store_little(made.value.data(), number);
  return made;
}

sample of_double(double number) {
  int exponent = 0;
  const double fraction = std::frexp(number, &exponent);
  cpp_rational exact{static_cast<std::int64_t>(std::ldexp(fraction, 53))};
  exponent -= 53;
  const cpp_rational power{cpp_int{1} << std::abs(exponent)};
  exact = exponent < 0 ? cpp_rational{exact / power} : cpp_rational{exact * power};
  sample made{wire::bson_type::float64, {}, exact};
  wire::store_little(made.value.data(), number);
  return made;
}

sample of_decimal(const cpp_int& coefficient, int exponent) {
  const cpp_rational power{pow(cpp_int{10}, static_cast<unsigned>(std::abs(exponent)))};
  cpp_rational exact{coefficient};
  exact = exponent < 0 ? cpp_rational{exact / power} : cpp_rational{exact * power};
  const cpp_int magnitude = abs(coefficient);
  const auto low = static_cast<std::uint64_t>(magnitude & 0xffffffffffffffffULL);
  auto high = static_cast<std::uint64_t>(magnitude >> 64U);
  high |= static_cast<std::uint64_t>(exponent + 6176) << 49U;
  if (coefficient < 0) high |= std::uint64_t{1} << 63U;
  sample made{wire::bson_type::decimal128, {}, exact};
  wire::store_little(made.value.data(), low);
  wire::store_little(made.value.data() + 8, high);
  return made;
}

/// Numbers that lie close together, so that the last digits decide.
std::vector<sample> close_numbers(std::mt19937_64& random) {
  std::vector<sample> made;
  std::uniform_int_distribution<int> digits{1, 34};
  std::uniform_int_distribution<int> exponents{-360, 310};
  cpp_int coefficient = 0;
  for (int i = digits(random); i > 0; --i) coefficient = coefficient * 10 + random() % 10;
  if (random() % 2 == 0) coefficient = -coefficient;
  const int exponent = random() % 2 == 0 ? exponents(random) : -static_cast<int>(random() % 20);
  const sample decimal = of_decimal(coefficient, exponent);
  made.push_back(decimal);
  const auto nearest = decimal.exact.convert_to<double>();
  if (!std::isfinite(nearest)) return made;
  made.push_back(of_double(nearest));
  made.push_back(of_double(std::nextafter(nearest, 0.0)));
  const double next = std::nextafter(nearest, std::copysign(HUGE_VAL, nearest));
  if (std::isfinite(next)) made.push_back(of_double(next));
  if (std::fabs(nearest) < 0x1p62) {
    const auto whole = static_cast<std::int64_t>(nearest);
    for (const std::int64_t offset : {-1, 0, 1}) made.push_back(of_int64(whole + offset));
    for (const int offset : {-1, 0, 1}) made.push_back(of_decimal(cpp_int{whole} + offset, 0));
  }
  return made;
}

TEST(number_order, agrees_with_exact_fractions) {
  constexpr std::uint64_t seed = 20240611;
  std::mt19937_64 random{seed};
  for (int round = 0; round != 1500; ++round) {
    const auto numbers = close_numbers(random);
    for (const sample& left : numbers) {
      for (const sample& right : numbers) {
        ASSERT_EQ(sign(compare_encoded(left.encode(), right.encode())),
                  sign(left.exact.compare(right.exact)))
            << "seed " << seed << " round " << round << ": " << left.exact << " and "
            << right.exact;
      }
    }
  }
}

}  // namespace
}  // namespace scattergate::routing
