#include "tests/support/rule_walks.hpp"

#include <array>
#include <optional>
#include <utility>

namespace scattergate::tests {
namespace {

using wire_tests::bytes;
using wire_tests::document;
using wire_tests::field;
using wire_tests::int32_field;
using wire_tests::joined;
using wire_tests::string_field;
using wire_tests::string_value;

constexpr int document_type = 0x03;
constexpr int array_type = 0x04;
constexpr int symbol_type = 0x0e;

bytes list(const std::vector<bytes>& members) {
  bytes fields;
  for (std::size_t i = 0; i < members.size(); ++i) {
    fields = joined(fields, field(document_type, std::to_string(i), members[i]));
  }
  return document(fields);
}

bytes only(std::string_view name, const bytes& inner, int type = document_type) {
  return document(field(type, name, inner));
}

bytes boolean(std::string_view name, bool value) {
  return field(0x08, name, wire_tests::little(static_cast<std::int8_t>(value)));
}

/// Makes one request.
/// Thread-safety: one thread.
class walker {
 public:
  explicit walker(choices from) noexcept : from_(from) {}

  rule_walk make() {
    made_.message = framed(command());
    return std::move(made_);
  }

 private:
  /// The fields of a command, and the documents of its sequences.
  struct parts {
    bytes fields;
    std::vector<std::pair<std::string, std::vector<bytes>>> lists;
    std::string database = "db";
  };

  // Filters

  bytes condition() {
    switch (from_.below(6)) {
      case 0:
        return int32_field("x", 1);
      case 1:
        return field(document_type, "y", only("$gt", wire_tests::little(5), 0x10));
      case 2:
        return string_field("$comment", "why not");
      case 3:
        return field(document_type, "tenant", document(boolean("$exists", true)));
      case 4:
        return int32_field("tenant.below", 5);
      default:
        return {};
    }
  }

  /// A filter that leaves every shard in.
  bytes wide(std::size_t depth = 0) {
    constexpr std::size_t deepest = 90;
    if (depth >= deepest) return document(condition());
    switch (from_.below(8)) {
      case 1:
        return document(condition(), int32_field("z", 3));
      case 2:
        return only("$and", list({wide(depth + 1)}), array_type);
      case 3:
        return only("$or", list({wide(depth + 1)}), array_type);
      case 4:
        return only("$or", list({document(int32_field("tenant", 5)), wide(depth + 1)}),
                    array_type);
      case 5:
        return only("$and", list({wide(depth + 1), document(int32_field("z", 4))}), array_type);
      case 6:
        return from_.one_in(4) ? nested(from_.below(80), depth) : document(condition());
      default:
        return document(condition());
    }
  }

  bytes nested(std::size_t levels, std::size_t depth) {
    bytes filter = wide(depth + levels);
    for (std::size_t i = 0; i < levels && depth + i < 90; ++i) {
      filter = only("$and", list({filter}), array_type);
    }
    return filter;
  }

  bytes on_orders() {
    made_.filters.push_back(wide());
    return made_.filters.back();
  }

  // Names

  bytes named(std::string_view name, std::string_view collection) {
    const bool as_symbol = name != "find" && from_.one_in(4);
    return field(as_symbol ? symbol_type : 0x02, name, string_value(collection));
  }

  // Pipelines

  bytes match() { return only("$match", on_orders()); }

  std::vector<bytes> harmless_stages() {
    std::vector<bytes> stages;
    for (std::size_t left = from_.below(4); left != 0; --left) {
      switch (from_.below(4)) {
        case 0:
          stages.push_back(only("$sort", document(int32_field("x", 1))));
          break;
        case 1:
          stages.push_back(only("$addFields", document(int32_field("added", 1))));
          break;
        case 2:
          stages.push_back(document(int32_field("$limit", 5)));
          break;
        default:
          stages.push_back(only("$match", document(int32_field("z", 1))));
      }
    }
    return stages;
  }

  /// A stage that reads all of orders.
  bytes joining(std::size_t depth) {
    switch (from_.below(5)) {
      case 0:
        return document(string_field("$unionWith", "orders"));
      case 1:
        return only("$unionWith", document(string_field("coll", "orders"),
                                           field(array_type, "pipeline", list({match()}))));
      case 2:
        return only("$lookup", document(string_field("from", "orders"),
                                        field(array_type, "pipeline", list(harmless_stages())),
                                        string_field("as", "found")));
      case 3:
        return only("$lookup",
                    document(string_field("as", "found"), string_field("foreignField", "x"),
                             string_field("localField", "x"), string_field("from", "orders")));
      default:
        return around(depth + 1);
    }
  }

  /// The same one level further down.
  bytes around(std::size_t depth) {
    constexpr std::size_t deepest = 24;
    if (depth > deepest) return document(string_field("$unionWith", "orders"));
    std::vector<bytes> inner = harmless_stages();
    inner.push_back(joining(depth));
    switch (from_.below(5)) {
      case 0:
        return only("$facet", document(field(array_type, "one", list(harmless_stages())),
                                       field(array_type, "two", list(inner))));
      case 1:
        return only("$unionWith", document(string_field("coll", "plain"),
                                           field(array_type, "pipeline", list(inner))));
      case 2:
        return only("$lookup", document(string_field("from", "lines"),
                                        field(array_type, "pipeline", list(inner)),
                                        string_field("as", "more")));
      case 3: {  // of documents of its own, on no collection
        inner.insert(inner.begin(), only("$documents", list({}), array_type));
        return only("$unionWith", document(field(array_type, "pipeline", list(inner))));
      }
      default:
        return only("$lookup", document(string_field("from", "plain"),
                                        field(array_type, "pipeline", list(inner)),
                                        string_field("as", "more")));
    }
  }

  parts aggregate() {
    if (from_.one_in(3)) {
      std::vector<bytes> stages = harmless_stages();
      stages.insert(stages.begin(), match());
      return {joined(named("aggregate", "orders"), field(array_type, "pipeline", list(stages))),
              {}};
    }
    std::vector<bytes> stages = harmless_stages();
    const bool on_lines = from_.one_in(2);
    if (on_lines) {
      stages.insert(stages.begin(), only("$match", document(int32_field("line", 5))));
    }
    if (from_.one_in(6)) stages.insert(stages.begin(), only("$collStats", document()));
    stages.push_back(joining(0));
    for (const bytes& more : harmless_stages()) stages.push_back(more);
    return {joined(named("aggregate", on_lines ? "lines" : "plain"),
                   field(array_type, "pipeline", list(stages)), field(3, "cursor", document())),
            {}};
  }

  // Batches

  bytes update_of(const bytes& filter, bool multi) {
    return document(field(document_type, "q", filter),
                    field(document_type, "u", only("$set", document(int32_field("x", 1)))),
                    boolean("multi", multi));
  }
  bytes delete_of(const bytes& filter) {
    return document(field(document_type, "q", filter), int32_field("limit", 0));
  }
  bytes statement(bool is_update, const bytes& filter) {
    return is_update ? update_of(filter, from_.one_in(2)) : delete_of(filter);
  }

  /// What stands beside the statement that matters.
  bytes companion(bool is_update) {
    switch (from_.below(3)) {
      case 0:  // refused by mongos
        return statement(is_update, only("x", document(int32_field("$bad", 1))));
      case 1:
        return statement(is_update, document(int32_field("tenant", 5)));
      default:
        return statement(is_update,
                         only("tenant", only("$gt", wire_tests::little(5), 0x10)));
    }
  }

  parts batch() {
    const bool is_update = from_.one_in(2);
    std::vector<bytes> statements;
    for (std::size_t left = from_.below(4); left != 0; --left) {
      statements.push_back(companion(is_update));
    }
    statements.push_back(statement(is_update, on_orders()));
    for (std::size_t left = from_.below(3); left != 0; --left) {
      statements.push_back(companion(is_update));
    }
    return {joined(named(is_update ? "update" : "delete", "orders"), boolean("ordered", false)),
            {{is_update ? "updates" : "deletes", std::move(statements)}}};
  }

  bytes op(std::int32_t ns, const bytes& filter) {
    if (from_.one_in(2)) {
      return document(int32_field("delete", ns), field(document_type, "filter", filter),
                      boolean("multi", true));
    }
    return document(int32_field("update", ns), field(document_type, "filter", filter),
                    field(document_type, "updateMods",
                          only("$set", document(int32_field("x", 1)))),
                    boolean("multi", from_.one_in(2)));
  }

  parts bulk_write() {
    constexpr std::array<std::string_view, 3> others{"db.plain", "db.lines", "db.more"};
    std::vector<bytes> names;
    const std::size_t before = from_.below(100);
    for (std::size_t i = 0; i < before; ++i) {
      const std::string name{i < others.size() ? others[i] : "db.other" + std::to_string(i)};
      names.push_back(document(string_field("ns", name)));
    }
    names.push_back(document(string_field("ns", "db.orders")));
    std::vector<bytes> ops;
    for (std::size_t i = 0; i < before; ++i) {
      if (!from_.one_in(3)) continue;
      ops.push_back(document(int32_field("insert", static_cast<std::int32_t>(i)),
                             field(document_type, "document",
                                   document(int32_field("line", static_cast<int>(i))))));
    }
    ops.push_back(op(static_cast<std::int32_t>(before), on_orders()));
    if (before != 0) ops.push_back(op(0, document(int32_field("line", 5))));
    parts made{joined(int32_field("bulkWrite", 1), boolean("ordered", from_.one_in(2))),
               {{"ops", std::move(ops)}, {"nsInfo", std::move(names)}},
               "admin"};
    return made;
  }

  // Commands

  parts plain() {
    switch (from_.below(5)) {
      case 0:
        return {joined(named("find", "orders"), field(document_type, "filter", on_orders())),
                {}};
      case 1:  // what another command reads stands there too
        return {joined(named("count", "orders"), field(document_type, "query", on_orders()),
                       field(document_type, "filter", document(int32_field("tenant", 5)))),
                {}};
      case 2:
        return {joined(named("distinct", "orders"), string_field("key", "x"),
                       field(document_type, "query", on_orders()),
                       field(document_type, "filter", document(int32_field("tenant", 5)))),
                {}};
      case 3:
        return {joined(named("mapReduce", "orders"), string_field("map", "f"),
                       string_field("reduce", "f"), field(document_type, "query", on_orders()),
                       field(document_type, "out", document(int32_field("inline", 1)))),
                {}};
      default:
        return {joined(named(from_.one_in(2) ? "findAndModify" : "findandmodify", "orders"),
                       field(document_type, "query", on_orders()), boolean("remove", true)),
                {}};
    }
  }

  bytes body_of(const parts& of, bool with_lists) {
    bytes fields = of.fields;
    if (with_lists) {
      for (const auto& [name, members] : of.lists) {
        fields = joined(fields, field(array_type, name, list(members)));
      }
    }
    return fields;
  }

  bytes padding() {
    bytes fields;
    switch (from_.below(8)) {
      case 0:
        return string_field("comment", std::string(from_.below(256) * 256, 'x'));
      case 1:
        return field(document_type, "comment", wire_tests::nested_document(from_.below(180)));
      case 2:
        for (std::size_t i = from_.below(140); i != 0; --i) {
          fields = joined(fields, int32_field("$pad" + std::to_string(i), 1));
        }
        return fields;
      case 3:  // mongos refuses it
        return joined(int32_field("maxTimeMS", 5), int32_field("maxTimeMS", 6));
      case 4:
        return field(document_type, "$readPreference",
                     document(string_field("mode", "secondary")));
      default:
        return {};
    }
  }

  /// A message of the command's fields, and its lists as sequences where `fields` lack them.
  struct command_parts {
    bytes body;
    std::vector<std::pair<std::string, std::vector<bytes>>> sequences;
    std::string database;
    bool is_legacy = false;
  };

  command_parts command() {
    parts of;
    switch (from_.below(5)) {
      case 0:
        of = plain();
        break;
      case 1:
      case 2:
        of = aggregate();
        break;
      case 3:
        of = batch();
        break;
      default:
        of = bulk_write();
    }
    const bool is_legacy = from_.one_in(8);
    const bool explains = from_.one_in(6);
    const bool in_body = explains || is_legacy || from_.one_in(2);
    bytes fields = body_of(of, in_body);
    if (explains) fields = field(document_type, "explain", document(fields));
    fields = joined(fields, padding());
    if (!is_legacy) fields = joined(fields, string_field("$db", of.database));
    command_parts made{document(fields), {}, of.database, is_legacy};
    if (!in_body) made.sequences = std::move(of.lists);
    return made;
  }

  bytes framed(const command_parts& of) {
    if (of.is_legacy) {
      const bool wraps = from_.one_in(2);
      const int type = from_.one_in(2) ? array_type : document_type;
      return wire_tests::op_query_bytes(
          of.database + ".$cmd",
          wraps ? document(field(type, from_.one_in(2) ? "$query" : "query", of.body)) : of.body);
    }
    bytes sections;
    for (const auto& [name, members] : of.sequences) {
      bytes documents;
      for (const bytes& member : members) documents = joined(documents, member);
      sections = joined(sections, wire_tests::sequence_section(name, documents));
    }
    const bytes body = wire_tests::body_section(of.body);
    const bytes whole = wire_tests::op_msg_bytes(
        0, from_.one_in(2) ? joined(sections, body) : joined(body, sections));
    return from_.one_in(8) ? packed(whole) : whole;
  }

  /// As OP_COMPRESSED, by the compressor that leaves bytes as they are.
  static bytes packed(const bytes& whole) {
    const bytes payload{whole.begin() + wire::limits::header_bytes, whole.end()};
    return wire_tests::message(
        wire::opcode::compressed, 7,
        joined(wire_tests::little(static_cast<std::int32_t>(wire::opcode::msg)),
               wire_tests::little(wire_tests::size_of(payload)),
               wire_tests::little(std::int8_t{0}), payload));
  }

  choices from_;
  rule_walk made_;
};

}  // namespace

rule_walk make_rule_walk(std::span<const std::uint8_t> decisions) {
  return walker{choices{decisions}}.make();
}

bytes make_filter(choices& from) {
  const auto tenant = [&] { return static_cast<std::int32_t>(from.below(80)); };
  switch (from.below(7)) {
    case 0:
      return document(int32_field("tenant", tenant()));
    case 1:
      return only("tenant", only("$gt", wire_tests::little(tenant()), 0x10));
    case 2:
      return document(int32_field("x", 1));
    case 3:
      return only("$and", list({make_filter(from), document(int32_field("x", 2))}), array_type);
    case 4:
      return only("$or", list({make_filter(from)}), array_type);
    case 5:
      return only("$or",
                  list({document(int32_field("tenant", tenant())), make_filter(from)}),
                  array_type);
    default:
      return document();
  }
}

}  // namespace scattergate::tests
