#include "tests/support/rule_walks.hpp"

#include <utility>

#include "tests/support/walk_batches.hpp"
#include "tests/support/walk_documents.hpp"
#include "tests/support/walk_filters.hpp"
#include "tests/support/walk_pipelines.hpp"

namespace scattergate::tests {
namespace {

using wire_tests::bytes;
using wire_tests::document;
using wire_tests::field;
using wire_tests::int32_field;
using wire_tests::joined;
using wire_tests::string_field;

/// Makes one request.
class walker {
 public:
  explicit walker(choices from) noexcept : from_(from) {}

  rule_walk make() {
    bytes message = framed(command());
    return {std::move(message), filters_.take()};
  }

 private:
  walk_parts plain() {
    switch (from_.below(5)) {
      case 0:
        return {joined(filters_.named("find", "orders"),
                       field(document_type, "filter", filters_.on_orders())),
                {}};
      case 1:  // what another command reads stands there too
        return {joined(filters_.named("count", "orders"),
                       field(document_type, "query", filters_.on_orders()),
                       field(document_type, "filter", document(int32_field("tenant", 5)))),
                {}};
      case 2:
        return {joined(filters_.named("distinct", "orders"), string_field("key", "x"),
                       field(document_type, "query", filters_.on_orders()),
                       field(document_type, "filter", document(int32_field("tenant", 5)))),
                {}};
      case 3:
        return {joined(filters_.named("mapReduce", "orders"), string_field("map", "f"),
                       string_field("reduce", "f"),
                       field(document_type, "query", filters_.on_orders()),
                       field(document_type, "out", document(int32_field("inline", 1)))),
                {}};
      default:
        return {
            joined(
                filters_.named(from_.one_in(2) ? "findAndModify" : "findandmodify", "orders"),
                field(document_type, "query", filters_.on_orders()), boolean("remove", true)),
            {}};
    }
  }

  bytes body_of(const walk_parts& of, bool with_lists) {
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
    walk_parts of;
    switch (from_.below(5)) {
      case 0:
        of = plain();
        break;
      case 1:
      case 2:
        of = walk_pipelines{from_, filters_}.aggregate();
        break;
      case 3:
        of = walk_batches{from_, filters_}.batch();
        break;
      default:
        of = walk_batches{from_, filters_}.bulk_write();
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
          wraps ? document(field(type, from_.one_in(2) ? "$query" : "query", of.body))
                : of.body);
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
  walk_filters filters_{from_};
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
      return only("$or", list({document(int32_field("tenant", tenant())), make_filter(from)}),
                  array_type);
    default:
      return document();
  }
}

}  // namespace scattergate::tests
