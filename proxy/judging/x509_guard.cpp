#include "proxy/judging/x509_guard.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/judging/request_view.hpp"
#include "routing/classify.hpp"
#include "wire/bson.hpp"
#include "wire/command.hpp"
#include "wire/endian.hpp"
#include "wire/op_msg.hpp"
#include "wire/op_query.hpp"
#include "wire/reply.hpp"

namespace scattergate::proxy {
namespace {

using bytes_view = std::span<const std::byte>;

using wire::op_msg_layout::kind_bytes;
using wire::op_msg_layout::length_bytes;

/// The maximum depth of `$query` nested in `$query`; mongos itself unwraps only one.
constexpr int max_wrappings = 4;

char lower(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool is_same(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool names_x509(std::string_view mechanism) noexcept {
  constexpr std::string_view name = "x509";
  return std::search(mechanism.begin(), mechanism.end(), name.begin(), name.end(),
                     [](char x, char y) { return lower(x) == y; }) != mechanism.end();
}

/// The role of a command, by its name. mongos compares names case-sensitively; ignoring the
/// case here is stricter.
enum class kind : std::uint8_t { other, authenticates, greets };

kind kind_of(std::string_view name) noexcept {
  if (is_same(name, "authenticate") || is_same(name, "saslStart")) return kind::authenticates;
  if (is_same(name, "hello") || is_same(name, "isMaster")) return kind::greets;
  return kind::other;
}

/// Calls `see` for every field, until one returns an answer other than `harmless`. Returns that
/// answer; `unclear` if the document is corrupt or has too many fields.
template <typename See>
x509_answer walk(wire::document_view document, See see) noexcept {
  wire::document_reader reader{document};
  std::size_t fields = 0;
  for (wire::element field; reader.next(field);) {
    if (++fields > wire::limits::command_fields) return x509_answer::unclear;
    if (const auto answer = see(field); answer != x509_answer::harmless) return answer;
  }
  return reader.is_corrupt() ? x509_answer::unclear : x509_answer::harmless;
}

/// Examines the command that starts an authentication. It is harmless only if it names its
/// mechanism, and none of its `mechanism` fields names X.509.
x509_answer look_at_start(wire::document_view start) noexcept {
  bool has_mechanism = false;
  const auto answer = walk(start, [&](const wire::element& field) {
    if (field.key() != "mechanism") return x509_answer::harmless;
    has_mechanism = true;
    const bool is_allowed = field.is_string() && !names_x509(field.as_string());
    return is_allowed ? x509_answer::harmless : x509_answer::forbidden;
  });
  if (answer != x509_answer::harmless) return answer;
  return has_mechanism ? x509_answer::harmless : x509_answer::forbidden;
}

x509_answer look_at_hello(wire::document_view hello) noexcept {
  return walk(hello, [](const wire::element& field) {
    const bool is_start =
        field.key() == "speculativeAuthenticate" && (field.is_document() || field.is_array());
    if (!is_start) return x509_answer::harmless;
    const auto start = field.as_container();
    return start ? look_at_start(*start) : x509_answer::unclear;
  });
}

/// The name of the first field of a document that begins at `start`. std::nullopt if too few
/// bytes have arrived; empty if the document has no field. Truncated if it is longer than any
/// command's name.
std::optional<std::string_view> first_name(bytes_view start) noexcept {
  if (start.size() <= length_bytes) return std::nullopt;
  if (start[length_bytes] == std::byte{0}) return std::string_view{};
  constexpr std::size_t longest = wire::limits::command_field_name_bytes;
  const auto rest = start.subspan(length_bytes + 1);
  const auto name = rest.first(std::min(rest.size(), longest));
  const auto end = std::find(name.begin(), name.end(), std::byte{0});
  if (end == name.end() && name.size() < longest) return std::nullopt;
  return std::string_view{reinterpret_cast<const char*>(name.data()),
                          static_cast<std::size_t>(end - name.begin())};
}

/// Examines a command that begins at `start`.
x509_answer look_at_command(bytes_view start) noexcept {
  const auto name = first_name(start);
  if (!name) return x509_answer::unclear;
  const kind what = kind_of(*name);
  if (what == kind::other) return x509_answer::harmless;
  const auto body = wire::document_view::first_of(start);
  if (!body) return x509_answer::unclear;
  return what == kind::greets ? look_at_hello(*body) : look_at_start(*body);
}

/// The size of a section that isn't the body.
struct passed_section {
  std::size_t bytes = 0;  ///< without its kind byte; 0: unknown, because too few have arrived
  bool is_impossible = false;  ///< the section would be longer than the message
};

/// Reads the size of a section that begins with its length. `room`: the rest of the message, in
/// bytes.
passed_section pass_by_length(bytes_view section, std::size_t room) noexcept {
  if (section.size() < length_bytes) return {};
  const std::size_t length = wire::load_little<std::uint32_t>(section.data());
  if (length <= length_bytes || length > room) return {0, true};
  return {length};
}

passed_section pass_text(bytes_view section, std::size_t room) noexcept {
  constexpr std::size_t longest = std::size_t{16} * 1024;  // far larger than any token
  const auto text = section.first(std::min(section.size(), longest));
  const auto end = std::find(text.begin(), text.end(), std::byte{0});
  if (end != text.end()) return {static_cast<std::size_t>(end - text.begin()) + 1};
  return {0, text.size() == room};
}

/// The answer for a message if its tokens have the form `tokens`; std::nullopt if they can't
/// have that form. Skips only a few sections and one token, because the work is repeated for
/// each piece of the message that arrives. Drivers' messages begin with the command.
std::optional<x509_answer> look_at_sections(bytes_view start, std::size_t length,
                                            wire::token_form tokens, bool& has_token) noexcept {
  using namespace wire::section_kind;
  std::size_t at = wire::op_msg_layout::sections_at;
  bool is_behind_token = false;
  for (std::size_t i = 0; i <= wire::limits::command_fields && start.size() > at; ++i) {
    const std::byte kind = start[at];
    const auto section = start.subspan(at + kind_bytes);
    if (kind == body) return look_at_command(section);
    const bool is_token = kind == token;
    if (is_token ? is_behind_token : kind != sequence && kind != wire::section_kind::telemetry)
      break;
    is_behind_token = is_behind_token || is_token;
    has_token = has_token || is_token;
    const std::size_t room = length - at - kind_bytes;
    const auto passed = is_token && tokens == wire::token_form::text
                            ? pass_text(section, room)
                            : pass_by_length(section, room);
    if (passed.is_impossible && is_behind_token) return std::nullopt;
    if (passed.bytes == 0) break;
    at += kind_bytes + passed.bytes;
  }
  return x509_answer::unclear;
}

/// Finds the body's section in an OP_MSG and examines it. Document sequences, telemetry and
/// tokens may precede it. Some versions of mongos read a token as a NUL-terminated text, others
/// as a document. The message is harmless only if it is harmless in both readings, and
/// forbidden if it is forbidden in either.
x509_answer look_at_msg(bytes_view start, std::size_t length) noexcept {
  bool has_token = false;
  const auto one = look_at_sections(start, length, wire::token_form::document, has_token);
  if (!has_token) return one.value_or(x509_answer::unclear);
  const auto other = look_at_sections(start, length, wire::token_form::text, has_token);
  if (!one || !other) return one ? *one : other.value_or(x509_answer::unclear);
  if (*one == x509_answer::forbidden) return *one;
  return *one == *other || *other == x509_answer::forbidden ? *other : x509_answer::unclear;
}

x509_answer look_at_query(const wire::message_header& header, bytes_view start) noexcept {
  constexpr std::string_view commands = ".$cmd";
  const auto query = wire::parse_op_query(header, start);
  if (!query) return x509_answer::unclear;
  if (!query->full_collection_name.ends_with(commands)) return x509_answer::harmless;
  wire::document_view body = query->query;
  for (int i = 0; i < max_wrappings; ++i) {
    const auto name = first_name(body.bytes());
    if (name != "$query" && name != "query") return look_at_command(body.bytes());
    wire::element wrapped;
    const auto inner =
        wire::document_reader{body}.next(wrapped) ? wrapped.as_container() : std::nullopt;
    if (!inner) return x509_answer::unclear;
    body = *inner;
  }
  return x509_answer::unclear;
}

/// Builds the reply to a forbidden request: the error AuthenticationFailed, as an OP_MSG, or as
/// an OP_REPLY to an OP_QUERY.
std::vector<std::byte> refusal_of(const wire::message_header& request,
                                  std::int32_t request_id) {
  const wire::command_error error{
      wire::server_errc::authentication_failed,
      "scattergate: MONGODB-X509 is refused where the proxy terminates TLS: mongos would take "
      "the proxy's certificate for the client's; use SCRAM-SHA-256 or another mechanism"};
  return request.op == wire::opcode::query
             ? wire::build_error_reply(request_id, request.request_id, error)
             : wire::build_error_msg(request_id, request.request_id, error);
}

}  // namespace

x509_answer look_for_x509(const wire::message_header& header,
                          std::span<const std::byte> start) noexcept {
  const auto length = static_cast<std::size_t>(header.length);
  const auto message = start.first(std::min(start.size(), length));
  switch (header.op) {
    case wire::opcode::msg:
      return look_at_msg(message, length);
    case wire::opcode::query:
      return look_at_query(header, message);
    case wire::opcode::reply:
    case wire::opcode::update:
    case wire::opcode::insert:
    case wire::opcode::get_more:
    case wire::opcode::delete_:
    case wire::opcode::kill_cursors:
      return x509_answer::harmless;  // these carry no commands
    case wire::opcode::compressed:
      break;
  }
  return x509_answer::unclear;  // also for OP_COMMAND, which mongos up to 4.0 answers
}

std::optional<inspection> x509_guard::check_request(const settings& current,
                                                    const request_view& request,
                                                    const wire::wire_errc* unpacking) {
  // A message with a legacy opCode contains no command, compressed or not.
  const bool is_legacy = unpacking != nullptr && *unpacking == wire::wire_errc::legacy_opcode;
  if (is_legacy) return std::nullopt;
  switch (look_for_x509(request.header, request.bytes)) {
    case x509_answer::harmless:
      return std::nullopt;
    case x509_answer::forbidden:
      return refuse(current, request);
    case x509_answer::unclear:
      break;
  }
  return inspection{disposition::close, nullptr};
}

inspection x509_guard::refuse(const settings& current, const request_view& request) {
  metrics_.x509_rejected.add();
  auto pending = accounting_.new_request();
  pending->expected_response_to = request.header.request_id;
  pending->sent = request.now;
  if (const auto command = wire::parse_command(request.header, request.bytes);
      command && current.inspect) {
    pending->must_be_counted = true;
    auto work = wire::work_budget::for_message(request.bytes.size());
    const auto verdict = routing::classify(*command, *current.catalog, memory_.verdict(), work);
    verdicts_.note(*command, verdict, *pending);
  }
  if (!expect_replies(request).is_answered) {
    return accounting_.complete_unanswered(request, std::move(pending), disposition::drop);
  }
  pending->is_rejected = true;
  pending->rejection = refusal_of(request.header, ids_.next());
  return {disposition::drop, std::move(pending)};
}

}  // namespace scattergate::proxy
