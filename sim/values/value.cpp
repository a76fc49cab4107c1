#include "sim/values/value.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <bson/bson.h>

namespace scattergate::sim {

document::document() noexcept = default;
document::document(std::initializer_list<field> fields) : fields_(fields) {}
document::document(const document& other) = default;
document::document(document&& other) noexcept = default;
document& document::operator=(const document& other) = default;
document& document::operator=(document&& other) noexcept = default;
document::~document() = default;

const value* document::find(std::string_view name) const noexcept {
  for (const field& each : fields_) {
    if (each.name == name) return &each.content;
  }
  return nullptr;
}

value* document::find(std::string_view name) noexcept {
  return const_cast<value*>(std::as_const(*this).find(name));
}

void document::set(std::string_view name, value content) {
  if (value* old = find(name)) {
    *old = std::move(content);
  } else {
    append(name, std::move(content));
  }
}

void document::append(std::string_view name, value content) {
  fields_.push_back(field{std::string{name}, std::move(content)});
}

void document::prepend(std::string_view name, value content) {
  fields_.insert(fields_.begin(), field{std::string{name}, std::move(content)});
}

bool document::erase(std::string_view name) {
  const auto at = std::find_if(fields_.begin(), fields_.end(),
                               [name](const field& each) { return each.name == name; });
  if (at == fields_.end()) return false;
  fields_.erase(at);
  return true;
}

const field* document::begin() const noexcept {
  return fields_.data();
}
const field* document::end() const noexcept {
  return fields_.data() + fields_.size();
}
field* document::begin() noexcept {
  return fields_.data();
}
field* document::end() noexcept {
  return fields_.data() + fields_.size();
}
std::size_t document::size() const noexcept {
  return fields_.size();
}
namespace {

struct type_of {
  bson_type operator()(const null&) const { return bson_type::null; }
  bson_type operator()(const undefined&) const { return bson_type::undefined; }
  bson_type operator()(const min_key&) const { return bson_type::min_key; }
  bson_type operator()(const max_key&) const { return bson_type::max_key; }
  bson_type operator()(bool) const { return bson_type::boolean; }
  bson_type operator()(std::int32_t) const { return bson_type::int32; }
  bson_type operator()(std::int64_t) const { return bson_type::int64; }
  bson_type operator()(double) const { return bson_type::float64; }
  bson_type operator()(const decimal128&) const { return bson_type::decimal128; }
  bson_type operator()(const std::string&) const { return bson_type::string; }
  bson_type operator()(const symbol&) const { return bson_type::symbol; }
  bson_type operator()(const document&) const { return bson_type::document; }
  bson_type operator()(const array&) const { return bson_type::array; }
  bson_type operator()(const binary&) const { return bson_type::binary; }
  bson_type operator()(const object_id&) const { return bson_type::object_id; }
  bson_type operator()(const date&) const { return bson_type::date; }
  bson_type operator()(const timestamp&) const { return bson_type::timestamp; }
  bson_type operator()(const regex&) const { return bson_type::regex; }
  bson_type operator()(const db_pointer&) const { return bson_type::db_pointer; }
  bson_type operator()(const code&) const { return bson_type::code; }
  bson_type operator()(const code_with_scope&) const { return bson_type::code_with_scope; }
};

std::string text_of(const decimal128& number) {
  bson_decimal128_t raw;
  std::memcpy(&raw.low, number.bytes.data(), sizeof raw.low);
  std::memcpy(&raw.high, number.bytes.data() + sizeof raw.low, sizeof raw.high);
  std::array<char, BSON_DECIMAL128_STRING> text{};
  bson_decimal128_to_string(&raw, text.data());
  return text.data();
}

long double decimal_as_long_double(const decimal128& number) {
  return std::strtold(text_of(number).c_str(), nullptr);
}

/// Whether a number isn't zero, also if it is too small for a long double.
bool is_nonzero(const decimal128& number) {
  const std::string text = text_of(number);
  return text.substr(0, text.find('E')).find_first_of("123456789NI") != text.npos;
}

}  // namespace

bson_type value::type() const noexcept {
  return std::visit(type_of{}, data_);
}

bool value::is_number() const noexcept {
  return is_integer() || is<double>() || is<decimal128>();
}

long double value::as_long_double() const noexcept {
  if (const auto* narrow = as<std::int32_t>()) return *narrow;
  if (const auto* wide = as<std::int64_t>()) return static_cast<long double>(*wide);
  if (const auto* real = as<double>()) return *real;
  if (const auto* exact = as<decimal128>()) return decimal_as_long_double(*exact);
  return 0;
}

std::int64_t value::as_int64() const noexcept {
  if (const auto* narrow = as<std::int32_t>()) return *narrow;
  if (const auto* wide = as<std::int64_t>()) return *wide;
  const long double number = as_long_double();
  if (std::isnan(number)) return 0;
  constexpr long double beyond = 9223372036854775808.0L;
  if (number >= beyond) return std::numeric_limits<std::int64_t>::max();
  if (number <= -beyond) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(number);
}

bool value::is_truthy() const noexcept {
  if (const auto* flag = as<bool>()) return *flag;
  if (const auto* exact = as<decimal128>()) return is_nonzero(*exact);
  if (is_number()) return as_long_double() != 0;
  return !is<null>() && !is<undefined>();
}

}  // namespace scattergate::sim
