#include "report/sources/shape_command.hpp"

#include <string_view>

#include "report/sources/shape_values.hpp"
#include "wire/bson_writer.hpp"

namespace scattergate::report {
namespace {

using wire::bson_writer;
using wire::document_view;
using wire::element;

std::string_view text_in(document_view from, std::string_view name) {
  const auto field = wire::find_field(from, name);
  return field && field->is_string() ? field->as_string() : std::string_view{};
}

bool is_filter(std::string_view name) {
  return name == "filter" || name == "query" || name == "q";
}

/// A field of the shape that isn't its command's name. `let` leaves open what its variables
/// are: two of them may be equal, or not.
bool write_argument(const element& field, shape_values& values, bson_writer& to) {
  const auto document = field.as_document();
  if (document && is_filter(field.key())) return values.fill_filter(field.key(), *document);
  if (!document || field.key() != "let") return values.fill_field(field);
  to.open_document("let");
  wire::document_reader reader{*document};
  for (element variable; reader.next(variable);) to.text(variable.key(), "$$NOW");
  to.close();
  return !reader.is_corrupt();
}

enum class part { command, statement };

/// All arguments of the command, or those of its one statement.
bool write_arguments(document_view shape, part of, bool is_batch, bson_writer& to) {
  shape_values values{to};
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

}  // namespace

std::optional<std::vector<std::byte>> command_of_shape(document_view shape) {
  const auto on = wire::find_field(shape, "cmdNs");
  const auto ns = on ? on->as_document() : std::nullopt;
  const std::string_view name = text_in(shape, "command");
  if (!ns || name.empty()) return std::nullopt;
  const std::string_view collection = text_in(*ns, "coll");
  bson_writer made;
  collection.starts_with("$cmd") ? made.int32(name, 1) : made.text(name, collection);
  bool is_good = true;
  if (name == "update" || name == "delete") {
    is_good = write_statement(name == "update" ? "updates" : "deletes", shape, made) &&
              write_arguments(shape, part::command, true, made);
  } else if (name != "insert") {
    is_good = write_arguments(shape, part::command, false, made);
  }
  if (!is_good) return std::nullopt;
  made.text("$db", text_in(*ns, "db"));
  return made.take();
}

}  // namespace scattergate::report
