#include "digest/shape_command.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "digest/shape_values.hpp"
#include "routing/command_kind.hpp"
#include "wire/bson_writer.hpp"

namespace scattergate::digest {
namespace {

using wire::bson_writer;
using wire::document_view;
using wire::element;

std::string_view text_in(document_view from, std::string_view name) {
  const auto field = wire::find_field(from, name);
  return field && field->is_string() ? field->as_string() : std::string_view{};
}

/// Writes a field other than the command's name. Variables of `let` get the value "$$NOW",
/// which is unknown before execution, because it is unknown which of them are equal.
bool write_argument(const element& field, shape_values& values, bson_writer& to) {
  const auto document = field.as_document();
  const bool is_filter = document && routing::is_filter_field(field.key());
  if (is_filter) return values.fill_filter(field.key(), *document);
  if (!document || field.key() != "let") return values.fill_field(field);
  to.open_document("let");
  wire::document_reader reader{*document};
  for (element variable; reader.next(variable);) to.text(variable.key(), "$$NOW");
  to.close();
  return !reader.is_corrupt();
}

enum class part { command, statement };

/// Writes all arguments of the command, or all arguments of its only statement.
bool write_arguments(document_view shape, part of, bool is_batch, bson_writer& to) {
  shape_values values{to, shape_source::server};
  wire::document_reader reader{shape};
  for (element field; reader.next(field);) {
    if (field.key() == "cmdNs" || field.key() == "command") continue;
    const bool is_of_statement = is_batch && field.key() != "let";
    if (is_of_statement != (of == part::statement)) continue;
    if (!write_argument(field, values, to)) return false;
  }
  return !reader.is_corrupt();
}

bool write_statement(std::string_view list, document_view shape, bson_writer& to) {
  to.open_array(list);
  to.open_document("0");
  const bool is_good = write_arguments(shape, part::statement, true, to);
  to.close();
  to.close();
  return is_good;
}

/// Writes a field with a JSON value. False if a shape can't have this value: null, a number
/// that isn't an int32, or a name with a NUL.
bool write_json(std::string_view name, const boost::json::value& from, bson_writer& to) {
  if (name.find('\0') != name.npos) return false;
  if (const auto* text = from.if_string()) {
    to.text(name, std::string_view{text->data(), text->size()});
  } else if (const auto* flag = from.if_bool()) {
    to.boolean(name, *flag);
  } else if (const auto* number = from.if_int64()) {
    to.int32(name, static_cast<std::int32_t>(*number));
    return *number == static_cast<std::int32_t>(*number);
  } else if (const auto* list = from.if_array()) {
    to.open_array(name);
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (!write_json(std::to_string(i), (*list)[i], to)) return false;
    }
    to.close();
  } else if (const auto* object = from.if_object()) {
    to.open_document(name);
    for (const auto& [key, value] : *object) {
      if (!write_json({key.data(), key.size()}, value, to)) return false;
    }
    to.close();
  } else {
    return false;
  }
  return true;
}

/// Converts a shape's text to BSON, including its placeholders; std::nullopt if it is
/// incomplete.
std::optional<std::vector<std::byte>> bson_of(std::string_view shape) {
  // Truncated, or a substitute for statements that weren't logged.
  if (shape.find("\"...\"") != shape.npos || shape.starts_with(R"({"statements":)")) {
    return std::nullopt;
  }
  constexpr unsigned most_depth = 100;
  boost::system::error_code failed;
  boost::json::parse_options options;
  options.max_depth = most_depth;
  const auto parsed = boost::json::parse({shape.data(), shape.size()}, failed, {}, options);
  if (failed || !parsed.is_object()) return std::nullopt;
  bson_writer made;
  for (const auto& [key, value] : parsed.get_object()) {
    if (!write_json({key.data(), key.size()}, value, made)) return std::nullopt;
  }
  return made.take();
}

/// Writes an insert's list of documents, with one empty document, because their content is
/// unknown.
void write_documents(std::string_view name, bson_writer& to) {
  to.open_array(name);
  to.open_document("0");
  to.close();
  to.close();
}

/// Whether the shapes of commands of this kind have everything that decides their routing.
bool shape_decides_routing(routing::command_kind kind) noexcept {
  const auto family = routing::family_of(kind);
  const bool is_on_collection =
      family == routing::command_family::routed || family == routing::command_family::by_nature;
  return is_on_collection && !routing::is_group(kind) &&
         routing::facts_of(kind).holds != routing::batch_items::operations;
}

}  // namespace

std::optional<std::vector<std::byte>> command_of_row(const row& of) {
  if (!shape_decides_routing(routing::kind_of(of.command))) return std::nullopt;
  if (of.name_space().find('\0') != std::string::npos) return std::nullopt;
  const auto shape = bson_of(of.what.shape_json);
  if (!shape) return std::nullopt;
  bson_writer made;
  of.collection.starts_with("$cmd") ? made.int32(of.command, 1)
                                    : made.text(of.command, of.collection);
  shape_values values{made, shape_source::scattergate};
  wire::document_reader reader{*document_view::from(*shape)};
  for (element field; reader.next(field);) {
    if (field.as_string() == "?documents") {
      write_documents(field.key(), made);
    } else if (!write_argument(field, values, made)) {
      return std::nullopt;
    }
  }
  made.text("$db", of.database);
  return made.take();
}

std::optional<std::vector<std::byte>> command_of_shape(document_view shape) {
  const auto on = wire::find_field(shape, "cmdNs");
  const auto ns = on ? on->as_document() : std::nullopt;
  const std::string_view name = text_in(shape, "command");
  if (!ns || name.empty()) return std::nullopt;
  const std::string_view collection = text_in(*ns, "coll");
  bson_writer made;
  collection.starts_with("$cmd") ? made.int32(name, 1) : made.text(name, collection);
  bool is_good = true;
  const routing::command_facts& facts = routing::facts_of(routing::kind_of(name));
  if (facts.holds == routing::batch_items::statements) {
    is_good = write_statement(facts.batch, shape, made) &&
              write_arguments(shape, part::command, true, made);
  } else if (facts.holds != routing::batch_items::documents) {
    is_good = write_arguments(shape, part::command, false, made);
  }
  if (!is_good) return std::nullopt;
  made.text("$db", text_in(*ns, "db"));
  return made.take();
}

}  // namespace scattergate::digest
