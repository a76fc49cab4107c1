#include "sim/values/value.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <bson/bson.h>

#include "sim/values/error.hpp"

namespace scattergate::sim {
namespace {

/// What MongoDB says about a type: its name for `$type`, and its rank in the order of values.
struct type_facts {
  bson_type type;
  std::string_view alias;
  int rank;
};

/// In the order of value::storage.
constexpr auto types = std::to_array<type_facts>({
    {bson_type::null, "null", 5},
    {bson_type::undefined, "undefined", 0},
    {bson_type::min_key, "minKey", -1},
    {bson_type::max_key, "maxKey", 127},
    {bson_type::boolean, "bool", 40},
    {bson_type::int32, "int", 10},
    {bson_type::int64, "long", 10},
    {bson_type::float64, "double", 10},
    {bson_type::decimal128, "decimal", 10},
    {bson_type::string, "string", 15},
    {bson_type::symbol, "symbol", 15},
    {bson_type::document, "object", 20},
    {bson_type::array, "array", 25},
    {bson_type::binary, "binData", 30},
    {bson_type::object_id, "objectId", 35},
    {bson_type::date, "date", 45},
    {bson_type::timestamp, "timestamp", 47},
    {bson_type::regex, "regex", 50},
    {bson_type::db_pointer, "dbPointer", 55},
    {bson_type::code, "javascript", 60},
    {bson_type::code_with_scope, "javascriptWithScope", 65},
});
static_assert(types.size() == std::variant_size_v<value::storage>);

const type_facts& facts_of(bson_type type) noexcept {
  return *std::ranges::find(types, type, &type_facts::type);
}

int rank_of(const value& content) noexcept {
  return types[content.data().index()].rank;
}

std::string text_of(const decimal128& number) {
  bson_decimal128_t raw;
  std::memcpy(&raw.low, number.bytes.data(), sizeof raw.low);
  std::memcpy(&raw.high, number.bytes.data() + sizeof raw.low, sizeof raw.high);
  std::array<char, BSON_DECIMAL128_STRING> text{};
  bson_decimal128_to_string(&raw, text.data());
  return text.data();
}

/// Whether a number isn't zero, also if it is too small for a long double.
bool is_nonzero(const decimal128& number) {
  const std::string text = text_of(number);
  return text.substr(0, text.find('E')).find_first_of("123456789NI") != text.npos;
}

std::weak_ordering compare_numbers(const value& left, const value& right) noexcept {
  if (left.is_integer() && right.is_integer()) return left.as_int64() <=> right.as_int64();
  // x86's long double holds every int64 and every double exactly.
  const long double a = left.as_long_double();
  const long double b = right.as_long_double();
  if (std::isnan(a) || std::isnan(b)) return std::isnan(b) <=> std::isnan(a);
  if (a < b) return std::weak_ordering::less;
  return a > b ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

std::string_view text_of(const value& content) noexcept {
  if (const auto* text = content.as<std::string>()) return *text;
  const auto* text = content.as<symbol>();
  return text == nullptr ? std::string_view{} : text->text;
}

/// Compares two values with the same alternative and rank.
struct compare_same {
  const value& right;

  std::weak_ordering operator()(const document& left) const noexcept {
    return compare(left, *right.as<document>());
  }
  std::weak_ordering operator()(const array& left) const noexcept {
    return compare(left, *right.as<array>());
  }
  std::weak_ordering operator()(const decimal128&) const noexcept {
    return std::weak_ordering::equivalent;  // a number, compared before
  }
  std::weak_ordering operator()(const code_with_scope& left) const noexcept {
    const auto by_text = left.text <=> right.as<code_with_scope>()->text;
    return by_text != 0 ? by_text : compare(left.scope, right.as<code_with_scope>()->scope);
  }
  template <typename T>
  std::weak_ordering operator()(const T& left) const noexcept {
    if constexpr (!std::is_empty_v<T> && !std::is_floating_point_v<T>) {
      return left <=> *right.as<T>();
    }
    return std::weak_ordering::equivalent;  // null, undefined, MinKey, MaxKey
  }
};

value narrowed(std::int64_t result, bool may_be_int32) {
  const bool fits = result >= std::numeric_limits<std::int32_t>::min() &&
                    result <= std::numeric_limits<std::int32_t>::max();
  if (may_be_int32 && fits) return static_cast<std::int32_t>(result);
  return result;
}

bool are_int32(const value& left, const value& right) {
  return left.is<std::int32_t>() && right.is<std::int32_t>();
}

void add_type(const value& operand, std::vector<bson_type>& out) {
  const auto* name = operand.as<std::string>();
  if (name != nullptr && *name == "number") {
    out.insert(out.end(),
               {bson_type::int32, bson_type::int64, bson_type::float64, bson_type::decimal128});
    return;
  }
  if (name == nullptr && !operand.is_number()) {
    refuse(errc::type_mismatch, "type must be represented as a number or string");
  }
  const std::int64_t number = operand.as_int64();
  if (operand.as_long_double() != static_cast<long double>(number)) {
    refuse("Invalid numerical type code: not an integer");
  }
  const auto* known = std::ranges::find_if(types, [&](const type_facts& each) {
    if (name != nullptr) return each.alias == *name;
    return number == static_cast<std::int64_t>(each.type) ||
           (number == -1 && each.type == bson_type::min_key);
  });
  if (known == types.end()) {
    refuse(name != nullptr ? "Unknown type name alias: " + *name
                           : "Invalid numerical type code: " + std::to_string(number));
  }
  out.push_back(known->type);
}

}  // namespace

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
  const auto at = std::ranges::find(fields_, name, &field::name);
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

bson_type value::type() const noexcept {
  return types[data_.index()].type;
}

bool value::is_number() const noexcept {
  return is_integer() || is<double>() || is<decimal128>();
}

long double value::as_long_double() const noexcept {
  if (const auto* narrow = as<std::int32_t>()) return *narrow;
  if (const auto* wide = as<std::int64_t>()) return static_cast<long double>(*wide);
  if (const auto* real = as<double>()) return *real;
  const auto* exact = as<decimal128>();
  return exact == nullptr ? 0 : std::strtold(text_of(*exact).c_str(), nullptr);
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

int canonical_rank(bson_type type) noexcept {
  return facts_of(type).rank;
}

std::weak_ordering compare(const value& left, const value& right) noexcept {
  const auto by_rank = rank_of(left) <=> rank_of(right);
  if (by_rank != 0) return by_rank;
  if (left.is_number()) return compare_numbers(left, right);
  if (left.data().index() != right.data().index()) return text_of(left) <=> text_of(right);
  return std::visit(compare_same{right}, left.data());
}

std::weak_ordering compare(const document& left, const document& right) noexcept {
  const auto* a = left.begin();
  const auto* b = right.begin();
  for (; a != left.end() && b != right.end(); ++a, ++b) {
    const auto by_rank = rank_of(a->content) <=> rank_of(b->content);
    if (by_rank != 0) return by_rank;
    const auto by_name = a->name <=> b->name;
    if (by_name != 0) return by_name;
    const auto by_content = compare(a->content, b->content);
    if (by_content != 0) return by_content;
  }
  return left.size() <=> right.size();
}

std::weak_ordering compare(const array& left, const array& right) noexcept {
  const std::size_t common = std::min(left.size(), right.size());
  for (std::size_t i = 0; i < common; ++i) {
    const auto by_content = compare(left[i], right[i]);
    if (by_content != 0) return by_content;
  }
  return left.size() <=> right.size();
}

value add(const value& left, const value& right) {
  std::int64_t result = 0;
  if (left.is_integer() && right.is_integer() &&
      !__builtin_add_overflow(left.as_int64(), right.as_int64(), &result)) {
    return narrowed(result, are_int32(left, right));
  }
  return left.as_double() + right.as_double();
}

value multiply(const value& left, const value& right) {
  std::int64_t result = 0;
  if (left.is_integer() && right.is_integer() &&
      !__builtin_mul_overflow(left.as_int64(), right.as_int64(), &result)) {
    return narrowed(result, are_int32(left, right));
  }
  return left.as_double() * right.as_double();
}

std::vector<bson_type> types_of(const value& operand) {
  std::vector<bson_type> out;
  const auto* several = operand.as<array>();
  if (several == nullptr) {
    add_type(operand, out);
    return out;
  }
  for (const value& each : *several) add_type(each, out);
  if (out.empty()) refuse("$type must match at least one type");
  return out;
}

std::string_view type_alias(bson_type type) noexcept {
  return facts_of(type).alias;
}

}  // namespace scattergate::sim
