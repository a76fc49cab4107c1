#pragma once

#include <string>
#include <string_view>

/// OpenSSL's digests, HMAC and PBKDF2 as functions on byte strings. Each throws
/// std::runtime_error if OpenSSL fails.
namespace scattergate::sim {

enum class digest_kind { md5, sha1, sha256 };

[[nodiscard]] std::string digest(digest_kind kind, std::string_view bytes);
[[nodiscard]] std::string hmac(digest_kind kind, std::string_view key, std::string_view bytes);

/// PBKDF2 with HMAC; the result has the digest's size.
[[nodiscard]] std::string pbkdf2(digest_kind kind, std::string_view password,
                                 std::string_view salt, int iterations);

[[nodiscard]] std::string random_bytes(std::size_t count);

[[nodiscard]] std::string hex(std::string_view bytes);
[[nodiscard]] std::string base64(std::string_view bytes);
/// Empty if `text` is not base64.
[[nodiscard]] std::string from_base64(std::string_view text);

}  // namespace scattergate::sim
