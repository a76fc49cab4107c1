#include "report/sources/message_start.hpp"

#include <algorithm>
#include <string_view>

#include "wire/endian.hpp"
#include "wire/header.hpp"
#include "wire/limits.hpp"

namespace scattergate::report {
namespace {

using wire::opcode;
using wire::limits::header_bytes;
using bytes_view = std::span<const std::byte>;

/// Reads the rest of a message as far as available; reading beyond it makes the result `maybe`.
class start_reader {
 public:
  start_reader(bytes_view rest, std::size_t whole) : rest_(rest), left_(whole) {}

  [[nodiscard]] message_start answer() const noexcept {
    return is_wrong_ ? message_start::no : is_cut_ ? message_start::maybe : message_start::yes;
  }
  [[nodiscard]] bool goes_on() const noexcept { return !is_wrong_ && !is_cut_; }

  void require(bool holds) noexcept { is_wrong_ = is_wrong_ || (goes_on() && !holds); }

  std::uint32_t number() noexcept {
    return take(4) ? wire::load_little<std::uint32_t>(taken_.data()) : 0;
  }

  std::uint8_t byte() noexcept {
    return take(1) ? std::to_integer<std::uint8_t>(taken_.front()) : 0;
  }

  void skip(std::size_t bytes) noexcept { take(bytes); }

  /// "database.collection" and its NUL.
  void name() noexcept {
    bool has_dot = false;
    for (std::size_t i = 0; goes_on(); ++i) {
      const std::uint8_t one = byte();
      if (!goes_on() || one == 0) break;
      has_dot = has_dot || one == '.';
      require(one >= 0x20 && i < wire::limits::max_namespace_bytes);
    }
    require(has_dot);
  }

  /// A document that leaves at least `behind` bytes of the message; checks its length and first
  /// field.
  void document(std::size_t behind = 0) noexcept {
    const std::size_t most = left_ < behind ? 0 : left_ - behind;
    const std::uint32_t length = number();
    require(length >= wire::limits::min_document_bytes && length <= most);
    const std::uint8_t type = byte();
    if (type == 0) return require(length == wire::limits::min_document_bytes);
    constexpr std::uint8_t last_type = 0x13;
    require(type <= last_type || type == 0x7F || type == 0xFF);
  }

 private:
  bool take(std::size_t bytes) noexcept {
    if (!goes_on()) return false;
    if (bytes > left_) {
      is_wrong_ = true;
    } else if (bytes > rest_.size()) {
      is_cut_ = true;
    } else {
      taken_ = rest_.first(bytes);
      rest_ = rest_.subspan(bytes);
      left_ -= bytes;
      return true;
    }
    return false;
  }

  bytes_view rest_;
  bytes_view taken_;
  std::size_t left_;  ///< bytes of the message
  bool is_wrong_ = false;
  bool is_cut_ = false;
};

void check_msg(start_reader& rest) noexcept {
  constexpr std::uint32_t known_flags = 0x10003;  // checksumPresent, moreToCome, exhaustAllowed
  constexpr std::size_t checksum_bytes = 4;
  const std::uint32_t flags = rest.number();
  rest.require((flags & ~known_flags) == 0);
  const std::uint8_t kind = rest.byte();
  rest.require(kind <= 2);  // body, document sequence, security token
  const std::size_t behind = (flags & 1U) != 0 ? checksum_bytes : 0;
  if (kind != 1) return rest.document(behind);
  rest.number();
  const std::uint8_t first = rest.byte();
  rest.require(first >= 0x20 && first < 0x7F);
}

void check_reply(start_reader& rest) noexcept {
  constexpr std::uint32_t known_flags = 0xF;
  constexpr std::size_t cursor_bytes = 8;
  constexpr std::uint32_t most_documents = 1U << 24U;
  rest.require((rest.number() & ~known_flags) == 0);
  rest.skip(cursor_bytes);
  rest.require(rest.number() < most_documents);
  const std::uint32_t returned = rest.number();
  rest.require(returned < most_documents);
  if (returned != 0) rest.document();
}

void check_compressed(start_reader& rest) noexcept {
  constexpr std::uint8_t last_compressor = 3;
  const auto original = static_cast<opcode>(static_cast<std::int32_t>(rest.number()));
  rest.require(wire::is_known(original) && original != opcode::compressed);
  rest.require(rest.number() <= wire::limits::max_message_bytes);
  rest.require(rest.byte() <= last_compressor);
}

/// Legacy requests: flags or zero, then a collection name.
void check_legacy(start_reader& rest, opcode op) noexcept {
  constexpr std::uint32_t query_flags = 0xFF;
  const std::uint32_t flags = rest.number();
  rest.require(flags <= (op == opcode::query ? query_flags : 1U));
  if (op == opcode::kill_cursors) return rest.require(rest.number() != 0);
  rest.name();
  if (op == opcode::query) rest.skip(8);
  if (op == opcode::update || op == opcode::delete_) rest.skip(4);
  if (op != opcode::get_more) rest.document();
}

/// Checks an incomplete header. The length alone is no reason to wait for more, as most bytes
/// form one.
message_start of_cut_header(bytes_view bytes) noexcept {
  constexpr std::size_t length_bytes = 4;
  if (bytes.size() < length_bytes) return message_start::maybe;
  const auto length = wire::load_little<std::int32_t>(bytes.data());
  const bool is_possible = length > static_cast<std::int32_t>(header_bytes) &&
                           length <= static_cast<std::int32_t>(wire::limits::max_message_bytes);
  return is_possible ? message_start::maybe : message_start::no;
}

}  // namespace

message_start begins_message(bytes_view bytes) noexcept {
  if (bytes.size() < header_bytes) return of_cut_header(bytes);
  const auto header = wire::parse_header(bytes.first<header_bytes>());
  if (!header || !wire::is_known(header->op)) return message_start::no;
  start_reader rest{bytes.subspan(header_bytes),
                    static_cast<std::size_t>(header->length) - header_bytes};
  switch (header->op) {
    case opcode::msg:
      check_msg(rest);
      break;
    case opcode::reply:
      rest.require(header->response_to != 0);
      check_reply(rest);
      break;
    case opcode::compressed:
      check_compressed(rest);
      break;
    default:
      check_legacy(rest, header->op);
  }
  return rest.answer();
}

}  // namespace scattergate::report
