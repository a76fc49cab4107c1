#include "tests/support/walk_filters.hpp"

#include "tests/support/walk_documents.hpp"

namespace scattergate::tests {

using wire_tests::bytes;
using wire_tests::document;
using wire_tests::field;
using wire_tests::int32_field;
using wire_tests::string_field;
using wire_tests::string_value;

bytes walk_filters::condition() {
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

bytes walk_filters::wide(std::size_t depth) {
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

bytes walk_filters::nested(std::size_t levels, std::size_t depth) {
  bytes filter = wide(depth + levels);
  for (std::size_t i = 0; i < levels && depth + i < 90; ++i) {
    filter = only("$and", list({filter}), array_type);
  }
  return filter;
}

bytes walk_filters::on_orders() {
  made_.push_back(wide());
  return made_.back();
}

bytes walk_filters::named(std::string_view name, std::string_view collection) {
  const bool as_symbol = name != "find" && from_.one_in(4);
  return field(as_symbol ? symbol_type : 0x02, name, string_value(collection));
}

}  // namespace scattergate::tests
