#include "wire/bson_writer.hpp"

#include <gtest/gtest.h>

#include "tests/support/single_spaced.hpp"

namespace scattergate::wire {
namespace {

TEST(bson_writer, writes_what_libbson_reads) {
  bson_writer inner;
  inner.int32("n", -5);
  const auto embedded = inner.take();
  bson_writer made;
  made.text("text", "a\"b");
  made.boolean("yes", true);
  made.document("doc", *document_view::from(embedded));
  made.open_array("list");
  made.text("0", "");
  made.open_document("1");
  made.close();
  made.close();
  made.raw("nothing", bson_type::null, {});
  EXPECT_EQ(tests::single_spaced(relaxed_json_of(made.take())),
            R"({ "text" : "a\"b", "yes" : true, "doc" : { "n" : -5 }, )"
            R"("list" : [ "", { } ], "nothing" : null })");
}

TEST(bson_writer, copies_fields_as_they_are) {
  bson_writer made;
  made.int32("a", 1);
  made.text("b", "x");
  const auto first = made.take();
  document_reader reader{*document_view::from(first)};
  for (element field; reader.next(field);) made.copy(field);
  EXPECT_EQ(made.take(), first);
}

TEST(bson_writer, an_empty_document_has_five_bytes) {
  EXPECT_EQ(bson_writer{}.take().size(), 5U);
}

}  // namespace
}  // namespace scattergate::wire
