#include "sim/values/hashing.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <bson/bson.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "sim/values/bson_codec.hpp"
#include "wire/endian.hpp"

namespace scattergate::sim {
namespace {

const EVP_MD* method_of(digest_kind kind) {
  constexpr std::array methods{EVP_md5, EVP_sha1, EVP_sha256};
  return methods[static_cast<std::size_t>(kind)]();
}

const unsigned char* unsigned_of(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

unsigned char* unsigned_of(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

void need(bool worked) {
  if (!worked) throw std::runtime_error("OpenSSL failed");
}

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

std::string digest(digest_kind kind, std::string_view bytes) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  need(EVP_Digest(bytes.data(), bytes.size(), unsigned_of(out), &size, method_of(kind),
                  nullptr) == 1);
  out.resize(size);
  return out;
}

std::string hmac(digest_kind kind, std::string_view key, std::string_view bytes) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  need(HMAC(method_of(kind), key.data(), static_cast<int>(key.size()), unsigned_of(bytes),
            bytes.size(), unsigned_of(out), &size) != nullptr);
  out.resize(size);
  return out;
}

std::string pbkdf2(digest_kind kind, std::string_view password, std::string_view salt,
                   int iterations) {
  const int size = EVP_MD_get_size(method_of(kind));
  std::string out(static_cast<std::size_t>(size), '\0');
  need(PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), unsigned_of(salt),
                         static_cast<int>(salt.size()), iterations, method_of(kind), size,
                         unsigned_of(out)) == 1);
  return out;
}

std::string random_bytes(std::size_t count) {
  std::string out(count, '\0');
  need(RAND_bytes(unsigned_of(out), static_cast<int>(count)) == 1);
  return out;
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const char each : bytes) {
    out += digits[static_cast<unsigned char>(each) >> 4U];
    out += digits[static_cast<unsigned char>(each) & 15U];
  }
  return out;
}

std::string base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size =
      EVP_EncodeBlock(unsigned_of(out), unsigned_of(bytes), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

std::string from_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return {};
  std::string out(text.size() / 4 * 3, '\0');
  if (EVP_DecodeBlock(unsigned_of(out), unsigned_of(text), static_cast<int>(text.size())) < 0) {
    return {};
  }
  // EVP_DecodeBlock counts the padding as bytes.
  const auto padding = std::count(text.end() - 2, text.end(), '=');
  out.resize(out.size() - static_cast<std::size_t>(padding));
  return out;
}

object_id new_object_id() {
  bson_oid_t made;
  bson_oid_init(&made, nullptr);
  object_id out;
  std::ranges::copy(made.bytes, out.bytes.begin());
  return out;
}

object_id object_id_from(std::string_view seed) {
  object_id id;
  const std::string hash = digest(digest_kind::sha256, seed);
  std::copy_n(hash.begin(), id.bytes.size(), id.bytes.begin());
  return id;
}

binary uuid_from(std::string_view seed) {
  std::string bytes = digest(digest_kind::sha256, seed).substr(0, 16);
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x40);  // version 4
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);  // variant 1
  return {4, std::move(bytes)};
}

std::int64_t now_millis() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::int64_t key_hash(const value& content) {
  std::string bytes;
  append_little(bytes, std::int32_t{0});  // the seed
  append_little(bytes, std::int32_t{canonical_rank(content.type())});
  put_value(bytes, content);
  return wire::load_little<std::int64_t>(digest(digest_kind::md5, bytes).data());
}

}  // namespace scattergate::sim
