#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/values/value.hpp"

/// Hashes, HMAC, PBKDF2 and random numbers by OpenSSL, and text encodings (hexadecimal,
/// base64). Strings are raw bytes. Functions throw std::runtime_error if OpenSSL fails.
namespace scattergate::sim {

/// The hash algorithms.
enum class digest_kind { md5, sha1, sha256 };

/// The hash of the bytes.
[[nodiscard]] std::string digest(digest_kind kind, std::string_view bytes);
/// The HMAC of the bytes with `key`.
[[nodiscard]] std::string hmac(digest_kind kind, std::string_view key, std::string_view bytes);

/// Derives a key from a password by PBKDF2 with HMAC. The result has the size of the hash.
[[nodiscard]] std::string pbkdf2(digest_kind kind, std::string_view password,
                                 std::string_view salt, int iterations);

/// Returns `count` cryptographically secure random bytes.
[[nodiscard]] std::string random_bytes(std::size_t count);

/// The bytes as lower-case hexadecimal digits.
[[nodiscard]] std::string hex(std::string_view bytes);
/// The bytes as base64.
[[nodiscard]] std::string base64(std::string_view bytes);
/// Decodes base64; empty if `text` isn't base64.
[[nodiscard]] std::string from_base64(std::string_view text);

/// A new ObjectId from the current time, an id of this process, and a counter.
[[nodiscard]] object_id new_object_id();

/// An ObjectId that depends only on `seed`: the first bytes of the seed's hash.
[[nodiscard]] object_id object_id_from(std::string_view seed);

/// A UUID (binary subtype 4) that depends only on `seed`.
[[nodiscard]] binary uuid_from(std::string_view seed);

/// The current time in milliseconds since 1970.
[[nodiscard]] std::int64_t now_millis();

/// The hash of a value in a hashed shard key: MD5 over the type's rank and a canonical form of
/// the value (mongo: hasher.cpp, BSONElementHasher with seed 0).
[[nodiscard]] std::int64_t key_hash(const value& content);

}  // namespace scattergate::sim
