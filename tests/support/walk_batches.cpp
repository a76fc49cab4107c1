#include "tests/support/walk_batches.hpp"

#include <array>
#include <string>
#include <utility>

namespace scattergate::tests {

using wire_tests::bytes;
using wire_tests::document;
using wire_tests::field;
using wire_tests::int32_field;
using wire_tests::joined;
using wire_tests::string_field;

bytes walk_batches::update_of(const bytes& filter, bool multi) {
  return document(field(document_type, "q", filter),
                  field(document_type, "u", only("$set", document(int32_field("x", 1)))),
                  boolean("multi", multi));
}
bytes walk_batches::delete_of(const bytes& filter) {
  return document(field(document_type, "q", filter), int32_field("limit", 0));
}
bytes walk_batches::statement(bool is_update, const bytes& filter) {
  return is_update ? update_of(filter, from_.one_in(2)) : delete_of(filter);
}

bytes walk_batches::companion(bool is_update) {
  switch (from_.below(3)) {
    case 0:  // refused by mongos
      return statement(is_update, only("x", document(int32_field("$bad", 1))));
    case 1:
      return statement(is_update, document(int32_field("tenant", 5)));
    default:
      return statement(is_update, only("tenant", only("$gt", wire_tests::little(5), 0x10)));
  }
}

walk_parts walk_batches::batch() {
  const bool is_update = from_.one_in(2);
  std::vector<bytes> statements;
  for (std::size_t left = from_.below(4); left != 0; --left) {
    statements.push_back(companion(is_update));
  }
  statements.push_back(statement(is_update, filters_.on_orders()));
  for (std::size_t left = from_.below(3); left != 0; --left) {
    statements.push_back(companion(is_update));
  }
  return {joined(filters_.named(is_update ? "update" : "delete", "orders"),
                 boolean("ordered", false)),
          {{is_update ? "updates" : "deletes", std::move(statements)}}};
}

bytes walk_batches::op(std::int32_t ns, const bytes& filter) {
  if (from_.one_in(2)) {
    return document(int32_field("delete", ns), field(document_type, "filter", filter),
                    boolean("multi", true));
  }
  return document(
      int32_field("update", ns), field(document_type, "filter", filter),
      field(document_type, "updateMods", only("$set", document(int32_field("x", 1)))),
      boolean("multi", from_.one_in(2)));
}

walk_parts walk_batches::bulk_write() {
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
    ops.push_back(document(
        int32_field("insert", static_cast<std::int32_t>(i)),
        field(document_type, "document", document(int32_field("line", static_cast<int>(i))))));
  }
  ops.push_back(op(static_cast<std::int32_t>(before), filters_.on_orders()));
  if (before != 0) ops.push_back(op(0, document(int32_field("line", 5))));
  walk_parts made{joined(int32_field("bulkWrite", 1), boolean("ordered", from_.one_in(2))),
                  {{"ops", std::move(ops)}, {"nsInfo", std::move(names)}},
                  "admin"};
  return made;
}

}  // namespace scattergate::tests
