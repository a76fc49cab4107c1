#include "routing/pattern/outline_hash.hpp"

#include <algorithm>
#include <string_view>

#include "wire/bson.hpp"
#include "wire/endian.hpp"
#include "wire/op_msg.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::routing {
namespace {

namespace layout = wire::op_msg_layout;

/// Hashes the outline of a command's documents.
class outline {
 public:
  /// Hashes the fields of a document and, down to `levels` levels, of the documents in it.
  /// Reads names as 64-bit words and only skips values, because this runs for every command of
  /// a collection with many patterns.
  void take(wire::document_view document, int levels) noexcept {
    take_fields(inside(document.bytes()), levels);
  }

  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

 private:
  static constexpr std::size_t word_bytes = sizeof(std::uint64_t);

  /// A document without its length and its closing NUL.
  static std::span<const std::byte> inside(std::span<const std::byte> document) noexcept {
    constexpr std::size_t length_bytes = sizeof(std::uint32_t);
    return document.subspan(length_bytes, document.size() - length_bytes - 1);
  }

  void take_fields(std::span<const std::byte> rest, int levels) noexcept {
    for (; !rest.empty() && fields_left_ != 0; --fields_left_) {
      const auto type = static_cast<wire::bson_type>(rest.front());
      hash_ += static_cast<std::uint64_t>(type);
      rest = rest.subspan(take_name(rest.subspan(1)) + 1);
      const std::size_t bytes = wire::value_size(type, rest);
      if (bytes > rest.size()) return;
      const bool is_nested =
          type == wire::bson_type::document || type == wire::bson_type::array;
      if (is_nested && levels != 0) {
        take_fields(inside(rest.first(bytes)), levels - 1);
      }
      rest = rest.subspan(bytes);
    }
  }

  /// Hashes the name at the start of `from`. Returns its size, including the closing NUL if
  /// there is one.
  std::size_t take_name(std::span<const std::byte> from) noexcept {
    std::size_t at = 0;
    for (; from.size() - at >= word_bytes; at += word_bytes) {
      const auto word = wire::load_little<std::uint64_t>(from.data() + at);
      const std::uint64_t marks = wire::nul_marks(word);
      if (marks != 0) {
        mix(word & ((marks ^ (marks - 1)) >> 8U));  // the bytes before the first NUL
        return at + wire::bytes_before_nul(marks) + 1;
      }
      mix(word);
    }
    std::uint64_t word = 0;
    for (unsigned shift = 0; at != from.size(); shift += 8) {
      const auto byte = std::to_integer<std::uint64_t>(from[at++]);
      if (byte == 0) break;
      word |= byte << shift;
    }
    mix(word);
    return at;
  }

  void mix(std::uint64_t word) noexcept {
    hash_ = wire::folded_product(word ^ hash_, key_.second);
  }

  const wire::hash_key& key_ = wire::hash_key::of_process();
  std::uint64_t hash_ = key_.first;
  int fields_left_ = 64;
};

/// How many levels to hash of a batched document: patterns ignore documents nested in an
/// inserted one.
int levels_in(std::span<const std::byte> identifier) noexcept {
  constexpr std::string_view documents = "documents";
  const bool is_insert = std::ranges::equal(
      identifier, std::as_bytes(std::span{documents.data(), documents.size()}));
  return is_insert ? 0 : 1;
}

}  // namespace

std::uint64_t outline_hash(std::span<const std::byte> sections) noexcept {
  outline made;
  if (sections.empty()) return 0;
  const auto body = wire::document_view::first_of(sections.subspan(layout::kind_bytes));
  if (!body) return 0;
  made.take(*body, 1);
  const auto rest = sections.subspan(layout::kind_bytes + body->size_bytes());
  if (rest.size() <= layout::sequence_name || rest.front() != wire::section_kind::sequence) {
    return made.hash();
  }
  const auto named = rest.subspan(layout::sequence_name);
  const auto name_end = std::ranges::find(named, std::byte{0});
  if (name_end == named.end()) return made.hash();
  const auto name = named.first(static_cast<std::size_t>(name_end - named.begin()));
  const auto first = wire::document_view::first_of(named.subspan(name.size() + 1));
  if (first) made.take(*first, levels_in(name));
  return made.hash();
}

}  // namespace scattergate::routing
