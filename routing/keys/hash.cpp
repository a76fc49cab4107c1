#include "routing/keys/hash.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <span>

#include <openssl/md5.h>

#include "routing/keys/decimal128.hpp"
#include "routing/keys/key_encoding.hpp"
#include "wire/endian.hpp"

namespace scattergate::routing {
namespace {

using wire::bson_type;
using wire::element;

/// MD5 without allocations; OpenSSL's newer interface would allocate.
class digest {
 public:
  digest() noexcept { MD5_Init(&state_); }

  void add(std::span<const std::byte> bytes) noexcept {
    MD5_Update(&state_, bytes.data(), bytes.size());
  }

  template <typename Integer>
  void add_little(Integer value) noexcept {
    std::array<std::byte, sizeof value> bytes;
    wire::store_little(bytes.data(), value);
    add(bytes);
  }

  /// The first eight bytes of the digest.
  [[nodiscard]] std::int64_t finish() noexcept {
    std::array<unsigned char, MD5_DIGEST_LENGTH> result;
    MD5_Final(result.data(), &state_);
    return wire::load_little<std::int64_t>(result.data());
  }

 private:
  MD5_CTX state_;
};

/// The canonical type as it is hashed. It differs from canonical_type for the least and the
/// greatest types (mongo: bson/bsontypes.h canonicalizeBSONType).
std::int32_t hashed_type(bson_type type) noexcept {
  switch (const canonical_type canonical = canonical_type_of(type)) {
    case canonical_type::min_key:
      return -1;
    case canonical_type::undefined:
      return 0;
    case canonical_type::max_key:
      return 127;
    default:
      return static_cast<std::int32_t>(canonical);
  }
}

constexpr std::int32_t end_of_document = 0;

/// The int64 that is hashed for a double: truncated and clamped, except that exactly 2^63 gives
/// the least int64 (mongo: bson/bsonelement.h safeNumberLongForHash).
std::int64_t double_to_hash(double value) noexcept {
  constexpr double bound = 0x1p63;
  if (std::isnan(value)) return 0;
  if (value == bound || value < -bound) return std::numeric_limits<std::int64_t>::min();
  if (value > bound) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(value);
}

/// The int64 that is hashed for a number; std::nullopt if its size is wrong.
std::optional<std::int64_t> number_to_hash(const element& number) noexcept {
  const auto value = number.value();
  if (number.type() == bson_type::decimal128) {
    if (value.size() != 16) return std::nullopt;
    return decimal128{value.first<16>()}.to_int64();
  }
  if (number.type() == bson_type::float64) {
    if (value.size() != 8) return std::nullopt;
    return double_to_hash(wire::load_little<double>(value.data()));
  }
  return number.as_int64();
}

/// Hashes a value that contains no others.
bool add_scalar(digest& to, const element& value) noexcept {
  if (!value.is_number()) {
    to.add(value.value());
    return true;
  }
  const auto number = number_to_hash(value);
  if (number) to.add_little(*number);
  return number.has_value();
}

/// Hashes the part of a nested value that precedes its fields.
bool add_head(digest& to, const element& value) noexcept {
  if (value.type() != bson_type::code_with_scope) return true;
  const auto parts = split_code_with_scope(value);
  if (parts) to.add(parts->code);
  return parts.has_value();
}

bool add_value(digest& to, const element& value) noexcept {
  return is_nesting(value.type()) ? add_head(to, value) : add_scalar(to, value);
}

[[gnu::noinline]] bool add_fields(digest& to, const element& root) noexcept {
  nested_reader reader{root};
  for (element field;;) {
    switch (reader.next(field)) {
      case nested_reader::step::broken:
        return false;
      case nested_reader::step::done:
        to.add_little(end_of_document);
        return true;
      case nested_reader::step::closed:
        to.add_little(end_of_document);
        continue;
      case nested_reader::step::field:
        break;
    }
    to.add_little(hashed_type(field.type()));
    to.add(std::as_bytes(std::span{field.key()}));
    to.add_little(std::uint8_t{0});
    if (!add_value(to, field)) return false;
  }
}

}  // namespace

std::optional<std::int64_t> hash_of(const wire::element& value) noexcept {
  constexpr std::int32_t seed = 0;
  digest md5;
  md5.add_little(seed);
  md5.add_little(hashed_type(value.type()));
  if (!add_value(md5, value)) return std::nullopt;
  if (is_nesting(value.type()) && !add_fields(md5, value)) return std::nullopt;
  return md5.finish();
}

std::int64_t hash_of_null() noexcept {
  static const std::int64_t hash = *hash_of({{}, wire::bson_type::null, {}});
  return hash;
}

}  // namespace scattergate::routing
