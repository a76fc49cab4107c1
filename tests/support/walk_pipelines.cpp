#include "tests/support/walk_pipelines.hpp"

namespace scattergate::tests {

using wire_tests::bytes;
using wire_tests::document;
using wire_tests::field;
using wire_tests::int32_field;
using wire_tests::joined;
using wire_tests::string_field;

bytes walk_pipelines::match() {
  return only("$match", filters_.on_orders());
}

std::vector<bytes> walk_pipelines::harmless_stages() {
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

bytes walk_pipelines::joining(std::size_t depth) {
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

bytes walk_pipelines::around(std::size_t depth) {
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

walk_parts walk_pipelines::aggregate() {
  if (from_.one_in(3)) {
    std::vector<bytes> stages = harmless_stages();
    stages.insert(stages.begin(), match());
    return {joined(filters_.named("aggregate", "orders"),
                   field(array_type, "pipeline", list(stages))),
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
  return {joined(filters_.named("aggregate", on_lines ? "lines" : "plain"),
                 field(array_type, "pipeline", list(stages)), field(3, "cursor", document())),
          {}};
}

}  // namespace scattergate::tests
