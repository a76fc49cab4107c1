#include "sim/values/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace scattergate::sim {
namespace {

std::weak_ordering compare_numbers(const value& left, const value& right) noexcept {
  if (left.is_integer() && right.is_integer()) return left.as_int64() <=> right.as_int64();
  // x86's long double holds every int64 and every double exactly.
  const long double a = left.as_long_double();
  const long double b = right.as_long_double();
  if (std::isnan(a) || std::isnan(b)) return std::isnan(b) <=> std::isnan(a);
  if (a < b) return std::weak_ordering::less;
  return a > b ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

std::weak_ordering compare_text(std::string_view left, std::string_view right) noexcept {
  return left.compare(right) <=> 0;
}

std::string_view text_of(const value& content) noexcept {
  if (const auto* text = content.as<std::string>()) return *text;
  if (const auto* text = content.as<symbol>()) return text->text;
  return {};
}

std::weak_ordering compare_binary(const binary& left, const binary& right) noexcept {
  if (left.bytes.size() != right.bytes.size()) return left.bytes.size() <=> right.bytes.size();
  if (left.subtype != right.subtype) return left.subtype <=> right.subtype;
  return compare_text(left.bytes, right.bytes);
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
  std::weak_ordering operator()(const binary& left) const noexcept {
    return compare_binary(left, *right.as<binary>());
  }
  std::weak_ordering operator()(const object_id& left) const noexcept {
    return left.bytes <=> right.as<object_id>()->bytes;
  }
  std::weak_ordering operator()(bool left) const noexcept { return left <=> *right.as<bool>(); }
  std::weak_ordering operator()(const date& left) const noexcept {
    return left.millis <=> right.as<date>()->millis;
  }
  std::weak_ordering operator()(const timestamp& left) const noexcept {
    const auto& other = *right.as<timestamp>();
    if (left.seconds != other.seconds) return left.seconds <=> other.seconds;
    return left.increment <=> other.increment;
  }
  std::weak_ordering operator()(const regex& left) const noexcept {
    const auto by_pattern = compare_text(left.pattern, right.as<regex>()->pattern);
    return by_pattern != 0 ? by_pattern
                           : compare_text(left.options, right.as<regex>()->options);
  }
  std::weak_ordering operator()(const db_pointer& left) const noexcept {
    const auto& other = *right.as<db_pointer>();
    const auto by_ns = compare_text(left.ns, other.ns);
    return by_ns != 0 ? by_ns : left.id.bytes <=> other.id.bytes;
  }
  std::weak_ordering operator()(const code& left) const noexcept {
    return compare_text(left.text, right.as<code>()->text);
  }
  std::weak_ordering operator()(const code_with_scope& left) const noexcept {
    const auto by_text = compare_text(left.text, right.as<code_with_scope>()->text);
    return by_text != 0 ? by_text : compare(left.scope, right.as<code_with_scope>()->scope);
  }
  template <typename T>
  std::weak_ordering operator()(const T&) const noexcept {
    return std::weak_ordering::equivalent;  // null, undefined, MinKey, MaxKey
  }
};

}  // namespace

int canonical_rank(bson_type type) noexcept {
  switch (type) {
    case bson_type::min_key:
      return -1;
    case bson_type::undefined:
      return 0;
    case bson_type::null:
      return 5;
    case bson_type::int32:
    case bson_type::int64:
    case bson_type::float64:
    case bson_type::decimal128:
      return 10;
    case bson_type::string:
    case bson_type::symbol:
      return 15;
    case bson_type::document:
      return 20;
    case bson_type::array:
      return 25;
    case bson_type::binary:
      return 30;
    case bson_type::object_id:
      return 35;
    case bson_type::boolean:
      return 40;
    case bson_type::date:
      return 45;
    case bson_type::timestamp:
      return 47;
    case bson_type::regex:
      return 50;
    case bson_type::db_pointer:
      return 55;
    case bson_type::code:
      return 60;
    case bson_type::code_with_scope:
      return 65;
    case bson_type::max_key:
      return 127;
  }
  return 127;
}

std::weak_ordering compare(const value& left, const value& right) noexcept {
  const int left_rank = canonical_rank(left.type());
  const int right_rank = canonical_rank(right.type());
  if (left_rank != right_rank) return left_rank <=> right_rank;
  if (left.is_number()) return compare_numbers(left, right);
  if (left_rank == canonical_rank(bson_type::string)) {
    return compare_text(text_of(left), text_of(right));
  }
  return std::visit(compare_same{right}, left.data());
}

std::weak_ordering compare(const document& left, const document& right) noexcept {
  const auto* a = left.begin();
  const auto* b = right.begin();
  for (; a != left.end() && b != right.end(); ++a, ++b) {
    const auto by_rank =
        canonical_rank(a->content.type()) <=> canonical_rank(b->content.type());
    if (by_rank != 0) return by_rank;
    const auto by_name = compare_text(a->name, b->name);
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

}  // namespace scattergate::sim
