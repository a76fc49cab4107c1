#include "digest/sketches/sketched_value.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "routing/keys/key_encoding.hpp"
#include "wire/endian.hpp"

namespace scattergate::digest {
namespace {

value_head head_of(routing::bytes_view encoded) noexcept {
  std::array<std::byte, sizeof(value_head)> bytes{};
  std::memcpy(bytes.data(), encoded.data(), std::min(encoded.size(), bytes.size()));
  return {routing::head_of(std::span{bytes}.first<8>()),
          routing::head_of(std::span{bytes}.last<8>())};
}

/// Encodes common values as routing::encode() does, but on the stack.
class short_encoding {
 public:
  /// False if the value needs routing::encode().
  bool encode(const wire::element& value) noexcept {
    using enum wire::bson_type;
    const auto bytes = value.value();
    switch (value.type()) {
      case int32:
        return bytes.size() == 4 && put_whole(wire::load_little<std::int32_t>(bytes.data()));
      case int64:
        return bytes.size() == 8 && put_whole(wire::load_little<std::int64_t>(bytes.data()));
      case object_id:
        return bytes.size() == 12 && put(routing::canonical_type::object_id, bytes);
      case null:
        return put(routing::canonical_type::null, {});
      case string:
        return put_string(bytes);
      default:
        return false;
    }
  }
  [[nodiscard]] sketched_value as_value(sketched_field field,
                                        const salt& hash_salt) const noexcept {
    return {field,
            salted_hash(std::span{bytes_}.first(size_), hash_salt),
            {routing::head_of(std::span{bytes_}.first<8>()),
             routing::head_of(std::span{bytes_}.subspan<8, 8>())}};
  }

 private:
  static constexpr std::size_t length_bytes = 4;
  static constexpr std::size_t longest_text = 64;

  bool put(routing::canonical_type type, routing::bytes_view from) noexcept {
    std::memset(bytes_.data(), 0, sizeof(value_head));
    bytes_[0] = static_cast<std::byte>(type);
    if (!from.empty()) std::memcpy(bytes_.data() + 1, from.data(), from.size());
    size_ = 1 + from.size();
    return true;
  }

  /// Encodes an integer as the double that equals it: its bits in sort order, then a byte that
  /// says that the double is exact.
  bool put_whole(std::int64_t value) noexcept {
    constexpr std::int64_t most = std::int64_t{1} << 53U;
    if (value > most || value < -most) return false;
    constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
    const auto bits =
        std::bit_cast<std::uint64_t>(static_cast<double>(value < 0 ? -value : value)) | sign;
    std::array<std::byte, 9> order{};
    wire::store_little(order.data(), __builtin_bswap64(value < 0 ? ~bits : bits));
    order.back() = std::byte{0x80};
    return put(routing::canonical_type::number, order);
  }

  bool put_string(routing::bytes_view from) noexcept {
    if (from.size() <= length_bytes || from.size() > length_bytes + longest_text) return false;
    const auto text = from.subspan(length_bytes);
    if (wire::load_little<std::uint32_t>(from.data()) != text.size() ||
        std::memchr(text.data(), 0, text.size()) != &text.back()) {
      return false;
    }
    put(routing::canonical_type::string, text);
    std::memset(bytes_.data() + size_, 0, sizeof(value_head));
    ++size_;
    return true;
  }

  // With zeros after the encoding, so that as_value() can read whole words.
  std::array<std::byte, longest_text + 2 + sizeof(value_head)> bytes_;
  std::size_t size_ = 0;
};

}  // namespace

std::optional<sketched_value> sketched(sketched_field field, const wire::element& value,
                                       const salt& hash_salt,
                                       routing::scratch& memory) noexcept {
  short_encoding made_here;
  if (made_here.encode(value)) return made_here.as_value(field, hash_salt);
  if (value.value().size() > max_sketched_bytes || value.is_array()) return std::nullopt;
  const std::size_t mark = memory.mark();
  const routing::bytes_view encoded = routing::encode(value, memory);
  std::optional<sketched_value> made;
  if (!encoded.empty()) made = {field, salted_hash(encoded, hash_salt), head_of(encoded)};
  memory.rewind(mark);
  return made;
}

}  // namespace scattergate::digest
