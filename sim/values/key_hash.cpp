#include "sim/values/key_hash.hpp"

#include <cmath>

#include "sim/values/bson_codec.hpp"
#include "sim/values/compare.hpp"
#include "sim/values/digest.hpp"
#include "sim/values/little_endian.hpp"
#include "wire/endian.hpp"

namespace scattergate::sim {
namespace {

/// Any number as int64. 2^63 as a double isn't clamped but gives the least int64. A double is
/// truncated, a Decimal128 rounded, half to even.
std::int64_t whole_part(const value& number) {
  constexpr double beyond = 9223372036854775808.0;
  const auto* real = number.as<double>();
  if (real != nullptr && *real == beyond) return std::numeric_limits<std::int64_t>::min();
  if (number.is<decimal128>()) {
    const long double rounded = std::nearbyint(number.as_long_double());
    if (std::abs(rounded) < beyond) return static_cast<std::int64_t>(rounded);
  }
  return number.as_int64();
}

void put_value(std::string& out, const value& content);

void put_members(std::string& out, const document& content) {
  for (const field& each : content) {
    append_little(out, std::int32_t{canonical_rank(each.content.type())});
    out.append(each.name);
    out.push_back('\0');
    put_value(out, each.content);
  }
  append_little(out, std::int32_t{0});
}

document numbered(const array& members) {
  document out;
  for (std::size_t i = 0; i < members.size(); ++i) out.append(std::to_string(i), members[i]);
  return out;
}

void put_value(std::string& out, const value& content) {
  if (content.is_number()) {
    append_little(out, whole_part(content));
  } else if (const auto* inner = content.as<document>()) {
    put_members(out, *inner);
  } else if (const auto* members = content.as<array>()) {
    put_members(out, numbered(*members));
  } else if (const auto* scoped = content.as<code_with_scope>()) {
    encode_value(code{scoped->text}, out);
    put_members(out, scoped->scope);
  } else {
    encode_value(content, out);
  }
}

}  // namespace

std::int64_t key_hash(const value& content) {
  std::string bytes;
  append_little(bytes, std::int32_t{0});  // the seed
  append_little(bytes, std::int32_t{canonical_rank(content.type())});
  put_value(bytes, content);
  return wire::load_little<std::int64_t>(digest(digest_kind::md5, bytes).data());
}

}  // namespace scattergate::sim
