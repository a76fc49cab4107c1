#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "text/problem.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::digest {

/// What the hashes of values are keyed with (SipHash-2-4): who doesn't have it can neither look
/// a value up among stored hashes nor try values out. Sketches under the same salt merge.
/// Thread-safety: immutable.
class salt {
 public:
  static constexpr std::size_t digits = 32;

  /// Of 32 hex digits, blanks around them left out: what `openssl rand -hex 16` prints.
  [[nodiscard]] static text::result<salt> of_text(std::string_view text);
  /// Another one at each call. Throws std::system_error.
  [[nodiscard]] static salt random() { return salt{wire::hash_key::random()}; }

  explicit salt(const wire::hash_key& key);

  /// The hash of a number and the bytes behind it.
  [[nodiscard]] std::uint64_t hash(std::uint64_t first,
                                   std::span<const std::byte> bytes) const noexcept;

  /// What tells salts apart and gives none away: 16 hex digits.
  [[nodiscard]] const std::string& id() const noexcept { return id_; }

 private:
  wire::hash_key key_;
  std::string id_;
};

}  // namespace scattergate::digest
