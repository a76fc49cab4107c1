#include "report/verify/explainable.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "routing/bounds/stage_reader.hpp"
#include "routing/stages/stage.hpp"
#include "wire/bson_writer.hpp"
#include "wire/command.hpp"
#include "wire/limits.hpp"

namespace scattergate::report {
namespace {

using routing::command_kind;
using wire::bson_writer;
using wire::document_view;
using wire::element;

/// Time limit for the server; an explain only plans.
constexpr std::int32_t most_milliseconds = 10'000;
constexpr std::string_view comment = "scattergate verify";

std::string why_not(command_kind kind) {
  using routing::explain_support;
  const std::string name{routing::name_of(kind)};
  const explain_support explained = routing::facts_of(kind).explained;
  if (explained == explain_support::plans) return {};
  if (explained == explain_support::runs) return "MongoDB runs a " + name + " to explain it";
  switch (routing::family_of(kind)) {
    case routing::command_family::routed:
      return "MongoDB doesn't explain " + name;
    case routing::command_family::follows_cursor:
      return "it goes to the shards of its cursor";
    default:
      return "MongoDB doesn't explain it";
  }
}

void write_stage(std::string_view index, std::string_view name, std::string_view field,
                 bson_writer& to) {
  to.open_document(index);
  if (field.empty()) {
    to.int32(name, 1);
  } else {
    to.open_document(name);
    name == routing::sort_stage ? to.int32(field, 1) : to.text(field, "x");
    to.close();
  }
  to.close();
}

/// Writes a stage that a $match can pass in the same way as the joining one, but that joins
/// nothing: $addFields instead of $lookup, $sort instead of $unionWith, $limit instead of
/// $facet.
void write_without_join(std::string_view index, const element& operation, bson_writer& to) {
  using other = routing::stage_collections;
  const other of = routing::stage_of(operation.key()).other;
  if (of == other::union_with) return write_stage(index, routing::sort_stage, "_id", to);
  const auto options = operation.as_document();
  const auto as = options ? wire::find_field(*options, "as") : std::nullopt;
  const bool looks_up = of != other::facet && as && !as->as_string().empty();
  if (looks_up) return write_stage(index, routing::add_fields_stage, as->as_string(), to);
  write_stage(index, routing::limit_stage, {}, to);
}

/// Writes the stages except those that write. If `join` is false, replaces joining stages by
/// write_without_join().
void write_pipeline(const element& pipeline, bool join, bson_writer& to) {
  to.open_array(pipeline.key());
  std::size_t count = 0;
  wire::document_reader reader{pipeline.as_container().value_or(document_view{})};
  for (element member; reader.next(member);) {
    element stage;
    const bool is_stage = routing::read_stage(member, stage);
    if (is_stage && routing::stage_of(stage.key()).writes()) continue;
    const std::string index = std::to_string(count++);
    if (!join && is_stage && routing::stage_of(stage.key()).joins()) {
      write_without_join(index, stage, to);
    } else {
      to.copy(index, member);
    }
  }
  to.close();
}

bool has_joins(const element& pipeline) {
  wire::document_reader reader{pipeline.as_container().value_or(document_view{})};
  for (element member; reader.next(member);) {
    element stage;
    const bool is_stage = routing::read_stage(member, stage);
    if (is_stage && routing::stage_of(stage.key()).joins()) return true;
  }
  return false;
}

/// The fields of `body` with a rewritten pipeline.
std::vector<std::byte> with_pipeline(document_view body, const element& pipeline, bool join) {
  bson_writer made;
  wire::document_reader reader{body};
  for (element field; reader.next(field);) {
    if (field.key() == pipeline.key()) {
      write_pipeline(pipeline, join, made);
    } else {
      made.copy(field);
    }
  }
  return made.take();
}

/// The fields of `body` with one statement instead of its list.
std::vector<std::byte> with_statement(document_view body, std::string_view list,
                                      document_view statement) {
  bson_writer made;
  wire::document_reader reader{body};
  for (element field; reader.next(field);) {
    if (field.key() != list) {
      made.copy(field);
      continue;
    }
    made.open_array(list);
    made.open_document("0");
    wire::document_reader inside{statement};
    for (element part; inside.next(part);) {
      if (part.key() != "hint") made.copy(part);
    }
    made.close();
    made.close();
  }
  return made.take();
}

explainable refused(explainable what, std::string why) {
  what.why_not = std::move(why);
  return what;
}

explainable of_pipeline(explainable what, document_view body) {
  const auto pipeline = wire::find_field(body, "pipeline");
  if (!pipeline || !pipeline->is_array()) {
    return refused(std::move(what), "its pipeline is not a list");
  }
  what.command = with_pipeline(body, *pipeline, true);
  if (has_joins(*pipeline)) what.without_joins = with_pipeline(body, *pipeline, false);
  return what;
}

std::vector<explainable> of_batch(const explainable& what, document_view body,
                                  std::string_view list) {
  const auto statements = wire::find_field(body, list);
  const auto members = statements ? statements->as_array() : std::nullopt;
  if (!members) return {refused(what, "it has no list of statements")};
  std::vector<explainable> made;
  std::size_t count = 0;
  wire::document_reader reader{*members};
  for (element member; reader.next(member); ++count) {
    if (count >= most_statements) continue;
    explainable one = what;
    const auto statement = member.as_document();
    if (statement) {
      one.command = with_statement(body, list, *statement);
    } else {
      one.why_not = "one of its statements is not a document";
    }
    made.push_back(std::move(one));
  }
  if (reader.is_corrupt()) return {refused(what, "its statements can't be read")};
  if (made.empty()) return {refused(what, "it has no statement")};
  if (count > most_statements) {
    made.push_back(refused(what, "of a batch only the first " +
                                     std::to_string(most_statements) + " statements are"));
  }
  return made;
}

/// The command inside an explain, or the command itself. The inner command may lack `$db`.
std::optional<wire::command> inner_of(const wire::command& command) {
  if (routing::kind_of(command.name) != command_kind::explain) return command;
  const auto body = command.first.as_document();
  const auto inner = body ? wire::command_of(*body) : wire::wire_errc::bad_bson;
  if (!inner) return std::nullopt;
  wire::command found = *inner;
  if (found.database.empty()) found.database = command.database;
  return found;
}

}  // namespace

std::vector<explainable> explainables_of(const wire::command& command) {
  const auto inner = inner_of(command);
  explainable what;
  what.kind = routing::kind_of(inner ? inner->name : command.name);
  if (!inner) return {refused(std::move(what), "the command inside the explain can't be read")};
  what.database = inner->database;
  what.collection = inner->collection;
  if (auto why = why_not(what.kind); !why.empty()) {
    return {refused(std::move(what), std::move(why))};
  }
  if (what.collection.empty()) return {refused(std::move(what), "it has no collection")};
  if (what.database.empty()) return {refused(std::move(what), "it has no $db")};
  what.command = wire::bare_command_of(*inner, wire::limits::max_document_bytes);
  if (what.command.empty()) return {refused(std::move(what), "it can't be read")};
  const std::vector<std::byte> bare = what.command;
  const document_view body = document_view::from(bare).value_or(document_view{});
  if (const auto list = routing::facts_of(what.kind).batch; !list.empty()) {
    return of_batch(what, body, list);
  }
  if (what.kind == command_kind::aggregate) return {of_pipeline(std::move(what), body)};
  return {std::move(what)};
}

std::vector<std::byte> explain_request(const explainable& what) {
  bson_writer made;
  made.open_document("explain");
  wire::document_reader reader{document_view::from(what.command).value_or(document_view{})};
  bool has_cursor = false;
  for (element field; reader.next(field);) {
    has_cursor |= field.key() == "cursor";
    if (field.key() != "$db") made.copy(field);
  }
  if (what.kind == command_kind::aggregate && !has_cursor) {
    made.open_document("cursor");  // 8.0 refuses to explain a pipeline without it
    made.close();
  }
  made.close();
  made.text("verbosity", "queryPlanner");
  made.text("comment", comment);
  made.int32("maxTimeMS", most_milliseconds);
  return made.take();
}

}  // namespace scattergate::report
