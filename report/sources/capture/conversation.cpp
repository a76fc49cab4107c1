#include "report/sources/capture/conversation.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "report/sources/observation.hpp"
#include "routing/command_kind.hpp"
#include "wire/command.hpp"
#include "wire/compressed.hpp"
#include "wire/limits.hpp"

namespace scattergate::report {
namespace {

using wire::document_view;

/// Limits for remembered cursors, and for one connection's requests without a reply. Beyond
/// them, commands are reported without that context.
constexpr std::size_t most_cursors = 10'000;
constexpr std::size_t most_opener_bytes = 8UL << 20;
constexpr std::size_t most_asked = 10'000;

/// The body of an OP_MSG reply; nothing for other opcodes.
std::optional<document_view> body_of_reply(const wire::message_header& header,
                                           std::span<const std::byte> message) {
  if (header.op != wire::opcode::msg) return std::nullopt;
  const auto parsed = wire::parse_op_msg(header, message);
  if (!parsed) return std::nullopt;
  return parsed->body;
}

/// Finds the fields with these names in one walk; of duplicates the first.
template <std::size_t Count>
std::array<std::optional<wire::element>, Count> find_fields(
    document_view in, const std::array<std::string_view, Count>& names) {
  std::array<std::optional<wire::element>, Count> found;
  wire::document_reader reader{in};
  for (wire::element field; reader.next(field);) {
    for (std::size_t i = 0; i != Count; ++i) {
      if (!found[i] && field.key() == names[i]) found[i] = field;
    }
  }
  return found;
}

/// A command's result, as its reply reports it.
struct outcome {
  bool is_error = false;
  std::string error_name;
  std::int64_t cursor = 0;  ///< 0: none is open
};

/// The name of the error in an object of a reply; empty: there is none.
std::string error_name_of(document_view failed) {
  const auto [name, code] = find_fields<2>(failed, {"codeName", "code"});
  if (name && name->is_string()) return std::string{name->as_string()};
  const auto number = code ? code->as_int64() : std::nullopt;
  return number ? name_of_error(*number) : std::string{};
}

/// The error of the command, or of the first failed write.
std::string error_name_of(document_view reply, const std::optional<wire::element>& errors) {
  std::string name = error_name_of(reply);
  if (!name.empty() || !errors) return name;
  wire::document_reader reader{*errors->as_array()};
  wire::element first;
  const auto failed = reader.next(first) ? first.as_document() : std::nullopt;
  return failed ? error_name_of(*failed) : std::string{};
}

outcome outcome_of(document_view reply) {
  const auto [ok, errors, cursor] = find_fields<3>(reply, {"ok", "writeErrors", "cursor"});
  outcome found;
  found.is_error = (ok && !ok->is_truthy()) ||
                   (errors && errors->is_array() && errors->as_array()->size_bytes() > 5);
  if (found.is_error) {
    const bool has_list = errors && errors->is_array();
    found.error_name = error_name_of(reply, has_list ? errors : std::nullopt);
  }
  const auto inside = cursor ? cursor->as_document() : std::nullopt;
  const auto id = inside ? wire::find_field(*inside, "id") : std::nullopt;
  found.cursor = id ? id->as_int64().value_or(0) : 0;
  return found;
}

/// The command as one document; just the body if that is everything.
std::vector<std::byte> document_of(const wire::command& command, bool has_database) {
  return has_database ? wire::whole_command_of(command, wire::limits::max_message_bytes)
                      : wire::bare_command_of(command, wire::limits::max_message_bytes);
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

void conversation_parts::opened(std::int64_t cursor, const std::vector<std::byte>& opener) {
  const auto [place, is_new] = openers_.try_emplace(cursor);
  if (is_new) order_.push_back(cursor);
  opener_bytes_ += opener.size() - place->second.size();
  place->second = opener;
  while (order_.size() > most_cursors || opener_bytes_ > most_opener_bytes) {
    const auto oldest = openers_.find(order_.front());
    opener_bytes_ -= oldest->second.size();
    openers_.erase(oldest);
    order_.pop_front();
  }
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

void conversation::receive(std::span<const std::byte> message, digest::wall_time at) {
  auto header = wire::parse_header(message.first<wire::limits::header_bytes>());
  if (!header) return;
  if (header->op == wire::opcode::compressed) {
    message = unpacked(*header, message);
    if (message.empty()) return parts_.receiver.on_skipped(skip_reason::unreadable);
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
  if (!command) return parts_.receiver.on_skipped(skip_reason::unreadable);
  const auto kind = routing::kind_of(command->name);
  if (routing::facts_of(kind).is_hello) learn_who(command->body);
  if (routing::is_sensitive(kind)) return parts_.receiver.on_skipped(skip_reason::sensitive);
  const auto [database, comment] = find_fields<2>(command->body, {"$db", "comment"});
  auto document = document_of(*command, database.has_value());
  if (document.empty()) return parts_.receiver.on_skipped(skip_reason::unreadable);
  const bool is_answered = !command->more_to_come && asked_.size() < most_asked;
  asked unanswered;
  asked& place = is_answered ? await_reply(header.request_id, at) : unanswered;
  observation& seen = place.what;
  seen.command = std::move(document);
  seen.at = at;
  seen.who = who_;
  if (comment && comment->is_string()) seen.who.comment = comment->as_string();
  if (kind == routing::command_kind::get_more) {
    seen.origin = parts_.opener_of(command->first.as_int64().value_or(0));
  }
  if (!is_answered) return parts_.receiver.on_given(std::move(seen));
  held_bytes_ += place.bytes();
}

std::size_t conversation::asked::bytes() const noexcept {
  const digest::caller& who = what.who;
  return sizeof(asked) + what.command.capacity() + what.origin.capacity() +
         who.app_name.capacity() + who.driver.capacity() + who.remote.capacity() +
         who.comment.capacity();
}

/// Registers a request that awaits a reply. If an earlier one has the same number, that one
/// gets no reply.
conversation::asked& conversation::await_reply(std::int32_t request, digest::wall_time at) {
  const auto [place, is_new] = asked_.try_emplace(request);
  asked& kept = place->second;
  if (!is_new) {
    held_bytes_ -= kept.bytes();
    parts_.receiver.on_given(std::exchange(kept.what, {}));
  }
  kept.at = at;
  return kept;
}

void conversation::take_reply(const wire::message_header& header,
                              std::span<const std::byte> message, digest::wall_time at) {
  const auto request = asked_.find(header.response_to);
  if (request == asked_.end()) return;
  held_bytes_ -= request->second.bytes();
  observation& seen = request->second.what;
  seen.duration = std::max(at - request->second.at, digest::wall_time::duration{0});
  if (const auto body = body_of_reply(header, message)) {
    outcome found = outcome_of(*body);
    seen.is_error = found.is_error;
    seen.error_name = std::move(found.error_name);
    const auto& opened_by = seen.origin.empty() ? seen.command : seen.origin;
    if (found.cursor != 0) parts_.opened(found.cursor, opened_by);
  }
  parts_.receiver.on_given(std::move(seen));
  asked_.erase(request);
}

void conversation::finish() {
  for (auto& [id, one] : asked_) parts_.receiver.on_given(std::move(one.what));
  asked_.clear();
  held_bytes_ = 0;
}

}  // namespace scattergate::report
