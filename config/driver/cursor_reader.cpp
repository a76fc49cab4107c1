#include "config/driver/cursor_reader.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "wire/bson.hpp"
#include "wire/bson_writer.hpp"
#include "wire/endian.hpp"

namespace scattergate::config {

namespace {

using wire::document_view;

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

}  // namespace

text::result<void> check_reply(std::span<const std::byte> reply) {
  const auto document = document_view::from(reply);
  if (!document) return text::failure("it isn't a document");
  if (!is_sound(*document)) {
    return text::failure("a part of it is malformed, or nested too deeply");
  }
  return {};
}

namespace {

using wire::element;

/// The collection name of listCollections' cursors (mongo: NamespaceString).
constexpr std::string_view list_collections_name = "$cmd.listCollections";

mongo_error wrong(std::string_view command, std::string_view what) {
  return {mongo_failure::command_failed, 0,
          "the reply to " + std::string{command} + " is broken: " + std::string{what}};
}

mongo_error endless(std::string_view command, std::size_t most, std::string_view what) {
  return {mongo_failure::command_failed, 0,
          std::string{command} + " gives more than " + std::to_string(most) + " " +
              std::string{what}};
}

void add_all(wire::bson_writer& to, document_view options) {
  wire::document_reader reader{options};
  for (element each; reader.next(each);) to.copy(each);
}

std::int64_t batch_size_of(document_view options) {
  const auto size = wire::find_field(options, "batchSize");
  return size ? size->as_int64().value_or(0) : 0;
}

}  // namespace

cursor_reader::cursor_reader(runner run, query_bounds bounds)
    : run_(std::move(run)), bounds_(bounds) {}

mongo_result<void> cursor_reader::find(std::string_view database, std::string_view collection,
                                       document_view filter, document_view options,
                                       const mongo_reader::document_sink& sink) {
  wire::bson_writer command;
  command.text("find", collection);
  command.document("filter", filter);
  add_all(command, options);
  const auto bytes = command.take();
  query from{database, collection, "find", sink, batch_size_of(options)};
  return read(from, document_view::from(bytes).value_or(document_view{}));
}

mongo_result<void> cursor_reader::list_collections(std::string_view database,
                                                   document_view options,
                                                   const mongo_reader::document_sink& sink) {
  wire::bson_writer command;
  command.int32("listCollections", 1);
  add_all(command, options);
  command.open_document("cursor");
  command.close();
  const auto bytes = command.take();
  query from{database, list_collections_name, "listCollections", sink};
  return read(from, document_view::from(bytes).value_or(document_view{}));
}

mongo_result<void> cursor_reader::read(query from, document_view command) {
  auto reply = run_(from.database, command);
  for (std::string_view batch = "firstBatch";; batch = "nextBatch") {
    if (!reply) {
      if (reply.error().kind != mongo_failure::unreachable) kill(from);
      return reply.error();
    }
    const auto view = document_view::from(*reply);
    const auto taken = view ? read_batch(from, batch, *view)
                            : mongo_result<void>{wrong(from.command, "it is not a document")};
    if (!taken || from.is_enough) {
      kill(from);
      return taken;
    }
    if (from.id == 0) return {};
    const auto next = next_command(from);
    reply = run_(from.database, document_view::from(next).value_or(document_view{}));
  }
}

mongo_result<void> cursor_reader::read_batch(query& from, std::string_view batch_name,
                                             document_view reply) {
  const auto cursor = wire::find_field(reply, "cursor");
  const auto fields = cursor ? cursor->as_document() : std::nullopt;
  if (!fields) return wrong(from.command, "cursor is not a document");
  const auto id = wire::find_field(*fields, "id");
  const auto number = id ? id->as_int64() : std::nullopt;
  if (!number) return wrong(from.command, "cursor.id is not a number");
  if (from.id != 0 && *number != 0 && *number != from.id) {
    return wrong(from.command, "cursor.id doesn't match the open cursor");
  }
  from.id = *number;
  const auto batch = wire::find_field(*fields, batch_name);
  const auto members = batch ? batch->as_array() : std::nullopt;
  if (!members) {
    return wrong(from.command, "cursor." + std::string{batch_name} + " is not an array");
  }
  from.bytes += reply.size_bytes();
  if (from.bytes > bounds_.bytes) return endless(from.command, bounds_.bytes, "bytes");
  if (from.id != 0 && std::chrono::steady_clock::now() - from.began > bounds_.time) {
    return endless(from.command, static_cast<std::size_t>(bounds_.time.count()),
                   "seconds of batches");
  }
  from.empty_batches = members->is_empty() ? from.empty_batches + 1 : 0;
  if (from.id != 0 && from.empty_batches > bounds_.empty_batches) {
    return endless(from.command, bounds_.empty_batches, "empty batches in a row");
  }
  return deliver_batch(from, *members);
}

mongo_result<void> cursor_reader::deliver_batch(query& from, document_view batch) const {
  wire::document_reader reader{batch};
  for (element member; reader.next(member);) {
    const auto record = member.as_document();
    if (!record)
      return wrong(from.command, "its batch contains something other than documents");
    if (++from.records > bounds_.records)
      return endless(from.command, bounds_.records, "records");
    if (!from.sink(*record)) {
      from.is_enough = true;
      return {};
    }
  }
  if (reader.is_corrupt()) return wrong(from.command, "the batch is malformed");
  return {};
}

std::vector<std::byte> cursor_reader::next_command(const query& from) const {
  wire::bson_writer command;
  command.int64("getMore", from.id);
  command.text("collection", from.collection);
  if (from.batch_size > 0) command.int64("batchSize", from.batch_size);
  return command.take();
}

/// Kills the query's open cursor, if there is one. Ignores the reply.
void cursor_reader::kill(const query& from) {
  if (from.id == 0) return;
  wire::bson_writer command;
  command.text("killCursors", from.collection);
  command.open_array("cursors");
  command.int64("0", from.id);
  command.close();
  const auto bytes = command.take();
  static_cast<void>(run_(from.database, document_view::from(bytes).value_or(document_view{})));
}

}  // namespace scattergate::config
