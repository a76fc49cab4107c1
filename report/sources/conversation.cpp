#include "report/sources/conversation.hpp"

#include <algorithm>
#include <utility>

#include "routing/command_kind.hpp"
#include "wire/bare_command.hpp"
#include "wire/command.hpp"
#include "wire/compressed.hpp"
#include "wire/limits.hpp"

namespace scattergate::report {
namespace {

using wire::document_view;

/// Cursors whose openers are known, and requests of one connection without a reply: more are
/// told without what they are wanted for.
constexpr std::size_t most_cursors = 10'000;
constexpr std::size_t most_asked = 10'000;

/// The body of a reply by OP_MSG; nothing where it is another.
std::optional<document_view> body_of_reply(const wire::message_header& header,
                                           std::span<const std::byte> message) {
  if (header.op != wire::opcode::msg) return std::nullopt;
  const auto parsed = wire::parse_op_msg(header, message);
  if (!parsed) return std::nullopt;
  return parsed->body;
}

bool tells_error(document_view reply) {
  const auto ok = wire::find_field(reply, "ok");
  if (ok && !ok->is_truthy()) return true;
  const auto errors = wire::find_field(reply, "writeErrors");
  return errors && errors->is_array() && errors->as_array()->size_bytes() > 5;
}

std::int64_t cursor_of(document_view reply) {
  const auto cursor = wire::find_field(reply, "cursor");
  const auto inside = cursor ? cursor->as_document() : std::nullopt;
  const auto id = inside ? wire::find_field(*inside, "id") : std::nullopt;
  return id ? id->as_int64().value_or(0) : 0;
}

std::string text_in(document_view from, std::string_view outer, std::string_view inner) {
  const auto found = wire::find_field(from, outer);
  const auto inside = found ? found->as_document() : std::nullopt;
  const auto text = inside ? wire::find_field(*inside, inner) : std::nullopt;
  return text && text->is_string() ? std::string{text->as_string()} : std::string{};
}

}  // namespace

const std::vector<std::byte>& conversation_parts::opener_of(std::int64_t cursor) const {
  static const std::vector<std::byte> unknown;
  const auto found = openers_.find(cursor);
  return found == openers_.end() ? unknown : found->second;
}

void conversation_parts::opened(std::int64_t cursor, const std::vector<std::byte>& by) {
  if (!openers_.insert_or_assign(cursor, by).second) return;
  order_.push_back(cursor);
  if (order_.size() <= most_cursors) return;
  openers_.erase(order_.front());
  order_.pop_front();
}

conversation::conversation(conversation_parts& parts, std::string remote) : parts_(parts) {
  who_.remote = std::move(remote);
}

std::span<const std::byte> conversation::unpacked(const wire::message_header& header,
                                                  std::span<const std::byte> message) {
  const auto packed = wire::parse_op_compressed(header, message);
  if (!packed) return {};
  const auto size = static_cast<std::size_t>(packed->original.length);
  if (parts_.block.size() < size) parts_.block.resize(size);
  const auto whole = parts_.decompressor.unpack(*packed, parts_.block);
  return whole ? *whole : std::span<const std::byte>{};
}

void conversation::take(std::span<const std::byte> message, digest::wall_time at) {
  auto header = wire::parse_header(message.first<wire::limits::header_bytes>());
  if (!header) return;
  if (header->op == wire::opcode::compressed) {
    message = unpacked(*header, message);
    if (message.empty()) return parts_.told_to.on_skipped(skip_reason::unreadable);
    header = wire::parse_header(message.first<wire::limits::header_bytes>());
    if (!header) return;
  }
  header->response_to == 0 ? take_request(*header, message, at)
                           : take_reply(*header, message, at);
}

void conversation::learn_who(document_view hello) {
  const auto client = wire::find_field(hello, "client");
  const auto metadata = client ? client->as_document() : std::nullopt;
  if (!metadata) return;
  who_.app_name = text_in(*metadata, "application", "name");
  who_.driver = text_in(*metadata, "driver", "name");
}

void conversation::take_request(const wire::message_header& header,
                                std::span<const std::byte> message, digest::wall_time at) {
  const auto command = wire::parse_command(header, message);
  if (!command) return parts_.told_to.on_skipped(skip_reason::unreadable);
  const auto kind = routing::kind_of(command->name);
  if (kind == routing::command_kind::hello || kind == routing::command_kind::is_master) {
    learn_who(command->body);
  }
  if (routing::is_sensitive(kind)) return parts_.told_to.on_skipped(skip_reason::sensitive);
  observation seen;
  seen.command = wire::bare_command_of(*command, wire::limits::max_message_bytes);
  if (seen.command.empty()) return parts_.told_to.on_skipped(skip_reason::unreadable);
  seen.at = at;
  seen.who = who_;
  if (const auto comment = wire::find_field(command->body, "comment");
      comment && comment->is_string()) {
    seen.who.comment = comment->as_string();
  }
  if (kind == routing::command_kind::get_more) {
    seen.origin = parts_.opener_of(command->first.as_int64().value_or(0));
  }
  const bool is_answered = !command->more_to_come && asked_.size() < most_asked;
  if (!is_answered) return parts_.told_to.on_command(seen);
  asked_.insert_or_assign(header.request_id, asked{std::move(seen), at});
}

void conversation::take_reply(const wire::message_header& header,
                              std::span<const std::byte> message, digest::wall_time at) {
  const auto request = asked_.find(header.response_to);
  if (request == asked_.end()) return;
  observation& seen = request->second.what;
  seen.duration = std::max(at - request->second.at, digest::wall_time::duration{0});
  if (const auto body = body_of_reply(header, message)) {
    seen.is_error = tells_error(*body);
    const std::int64_t cursor = cursor_of(*body);
    if (cursor != 0) parts_.opened(cursor, seen.origin.empty() ? seen.command : seen.origin);
  }
  parts_.told_to.on_command(seen);
  asked_.erase(request);
}

void conversation::end() {
  for (const auto& [id, one] : asked_) parts_.told_to.on_command(one.what);
  asked_.clear();
}

}  // namespace scattergate::report
