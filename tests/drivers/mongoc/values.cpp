#include "tests/drivers/mongoc/shared.hpp"
#include "tests/drivers/mongoc/steps.hpp"

namespace script {

void big_document(mongoc_client_t* at) {
  std::string text;
  while (text.size() < 5'000'000) text += "0123456789";
  const document big{R"({"_id": 1})"};
  BSON_APPEND_UTF8(big, "text", text.c_str());
  const collection c = here(at);
  print_outcome(mongoc_collection_insert_one(c.get(), big, nullptr, nullptr, &problem),
                nullptr);
  print_digest(find(c));
}

void many_documents(mongoc_client_t* at) {
  print_digest(find(numbers(at, 20'000)));
}

void unicode(mongoc_client_t* at) {
  const collection c = here(at, "unicode_\u00fc");
  insert_one(c, "{\"_id\": \"\u4e2d\u6587\", \"\u00e9\": \"\U0001f600 \\u0000 end\"}");
  print_all(find(c, "{\"_id\": \"\u4e2d\u6587\"}"));
}

void every_type(mongoc_client_t* at) {
  const collection c = here(at);
  insert_one(c, R"json({"_id": {"$oid": "0123456789abcdef01234567"}, "double": 1.5,
      "infinite": {"$numberDouble": "Infinity"}, "text": "text",
      "document": {"a": {"b": [1, {"c": null}]}}, "array": [1, "2", [3]],
      "binary": {"$binary": {"base64": "AP8=", "subType": "05"}},
      "uuid": {"$binary": {"base64": "AAAAAAAAAAAAAAAAAAAABw==", "subType": "04"}},
      "yes": true, "date": {"$date": "2024-02-29T12:00:00Z"},
      "old": {"$date": {"$numberLong": "-2177452800000"}}, "null": null,
      "regex": {"$regularExpression": {"pattern": "^a.b", "options": "i"}},
      "code": {"$code": "f()"}, "scoped": {"$code": "f()", "$scope": {"x": 1}}, "int": 5,
      "timestamp": {"$timestamp": {"t": 9, "i": 1}}, "long": {"$numberLong": "1099511627776"},
      "decimal": {"$numberDecimal": "1.10"}, "min": {"$minKey": 1},
      "max": {"$maxKey": 1}})json");
  print_all(find(c));
}

}  // namespace script
