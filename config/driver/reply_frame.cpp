#include "config/driver/reply_frame.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "wire/bson.hpp"
#include "wire/endian.hpp"
#include "wire/header.hpp"

namespace scattergate::config {
namespace {

using wire::document_view;

constexpr const char* too_short = "it ends before its document";

/// The scope of a code_with_scope: int32 length, string (int32 length, text), document.
std::optional<document_view> scope_of(const wire::element& code) {
  constexpr std::size_t number = sizeof(std::int32_t);
  const auto value = code.value();
  if (value.size() < 2 * number) return std::nullopt;
  const auto text = wire::load_little<std::uint32_t>(value.data() + number);
  if (text > value.size() - 2 * number) return std::nullopt;
  return document_view::from(value.subspan(2 * number + text));
}

/// The document inside a field; an empty one if the field's type has none; std::nullopt if it
/// is malformed.
std::optional<document_view> inside(const wire::element& field) {
  if (field.type() == wire::bson_type::code_with_scope) return scope_of(field);
  if (!field.is_document() && !field.is_array()) return document_view{};
  return field.as_container();
}

/// Whether every nested document can be read to its end.
bool is_sound(document_view document) {
  std::vector<wire::document_reader> open;
  open.emplace_back(document);
  while (!open.empty()) {
    wire::element field;
    if (!open.back().next(field)) {
      if (open.back().is_corrupt()) return false;
      open.pop_back();
      continue;
    }
    const auto nested = inside(field);
    if (!nested || open.size() > wire::limits::inspect_depth) return false;
    if (!nested->is_empty()) open.emplace_back(*nested);
  }
  return true;
}

/// The bytes of a binary (int32 length, subtype, bytes) as text; empty for other types.
std::string_view text_of_binary(const wire::element& field) {
  constexpr std::size_t head = sizeof(std::int32_t) + 1;
  const auto value = field.value();
  if (field.type() != wire::bson_type::binary || value.size() < head) return {};
  const auto text = value.subspan(head);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

/// Whether a SCRAM message (RFC 5802: "r=...,s=...,i=15000") has each attribute once, and asks
/// for no more hashes than a driver makes in a second. libmongoc makes as many as it is asked
/// for, and leaks memory for each repeated attribute.
bool is_fair_challenge(std::string_view message) {
  constexpr std::uint64_t most_iterations = 1'000'000;
  std::array<bool, 256> seen{};
  while (!message.empty()) {
    const std::string_view part = message.substr(0, message.find(','));
    message.remove_prefix(std::min(part.size() + 1, message.size()));
    if (part.size() < 2 || part[1] != '=') continue;
    if (std::exchange(seen[static_cast<unsigned char>(part[0])], true)) return false;
    if (part[0] != 'i') continue;
    std::uint64_t iterations = 0;
    const auto [end, error] =
        std::from_chars(part.data() + 2, part.data() + part.size(), iterations);
    if (error != std::errc{} || end != part.data() + part.size()) return false;
    if (iterations > most_iterations) return false;
  }
  return true;
}

/// Whether `reply` has no error code, or one that MongoDB's errors may have: libmongoc aborts
/// the process for others, such as NaN.
// NOLINTNEXTLINE(misc-no-recursion): one level deep each
bool has_fair_code(document_view reply) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  wire::document_reader reader{reply};
  for (wire::element field; reader.next(field);) {
    if (field.key() == "writeConcernError") {
      const auto inner = field.as_document();
      if (inner && !has_fair_code(*inner)) return false;
    }
    if (field.key() != "code") continue;
    const auto code = field.as_int64();
    if (!code || *code <= 0 || *code > most) return false;
  }
  return true;
}

/// Checks the login data in replies to saslStart and saslContinue, and in replies to hello,
/// which have it one level down.
bool has_fair_login(document_view reply, bool is_inner = false) {
  wire::document_reader reader{reply};
  for (wire::element field; reader.next(field);) {
    if (field.key() == "payload" && !is_fair_challenge(text_of_binary(field))) return false;
    if (is_inner || field.key() != "speculativeAuthenticate") continue;
    const auto inner = field.as_document();
    if (inner && !has_fair_login(*inner, true)) return false;
  }
  return true;
}

text::result<void> check_document(std::span<const std::byte> bytes) {
  const auto document = document_view::from(bytes);
  if (!document) return text::failure("the document doesn't fill the message");
  if (!is_sound(*document)) return text::failure("its document is broken");
  if (!has_fair_code(*document)) return text::failure("its error code is invalid");
  if (!has_fair_login(*document)) return text::failure("its authentication fields are invalid");
  return {};
}

text::result<void> check_op_msg(std::span<const std::byte> rest) {
  constexpr std::size_t head = sizeof(std::uint32_t) + 1;
  if (rest.size() < head) return text::failure(too_short);
  if (wire::load_little<std::uint32_t>(rest.data()) != 0) return text::failure("it has flags");
  if (rest[head - 1] != std::byte{0}) return text::failure("its first section isn't a body");
  return check_document(rest.subspan(head));
}

/// Checks an OP_REPLY after its header: responseFlags, cursorID, startingFrom, numberReturned,
/// and the document.
text::result<void> check_op_reply(std::span<const std::byte> rest) {
  constexpr std::size_t head = 20;
  if (rest.size() < head) return text::failure(too_short);
  const auto returned =
      wire::load_little<std::int32_t>(rest.data() + head - sizeof(std::int32_t));
  if (returned != 1) return text::failure("it doesn't have exactly one document");
  return check_document(rest.subspan(head));
}

}  // namespace

text::result<void> check_reply_header(
    std::span<const std::byte, wire::limits::header_bytes> header, wire::opcode asked) {
  const auto read = wire::parse_header(header);
  if (!read) return text::failure("its length is invalid");
  const bool is_old = asked == wire::opcode::query;
  if (read->op != (is_old ? wire::opcode::reply : wire::opcode::msg)) {
    return text::failure(is_old ? "it is not an OP_REPLY" : "it is not an OP_MSG");
  }
  if (static_cast<std::size_t>(read->length) > max_reply_bytes) {
    return text::failure("it is too long");
  }
  return {};
}

text::result<void> check_reply(std::span<const std::byte> message) {
  const auto header = message.first<wire::limits::header_bytes>();
  const auto read = wire::parse_header(header);
  const auto rest = message.subspan(header.size());
  return read && read->op == wire::opcode::reply ? check_op_reply(rest) : check_op_msg(rest);
}

}  // namespace scattergate::config
