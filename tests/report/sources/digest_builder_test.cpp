#include "report/sources/digest_builder.hpp"

#include <gtest/gtest.h>

#include "routing/catalog/catalog.hpp"
#include "tests/support/json_document.hpp"

namespace scattergate::report {
namespace {

/// With orders in databases whose names are made up for each run.
std::shared_ptr<const routing::catalog> catalog_with_a_pattern() {
  routing::collection orders;
  orders.database = "test-*";
  orders.name = "orders";
  orders.key.push_back({"customer"});
  routing::catalog_builder made;
  EXPECT_EQ(made.add(std::move(orders)), std::nullopt);
  EXPECT_EQ(made.finish_collection(), std::nullopt);
  return made.build();
}

digest::table counted_in(const std::string& database) {
  digest::table made{10};
  digest::counts several;
  several.count = 3;
  several.by_routing[static_cast<std::size_t>(routing::routing_class::scatter_gather)] = 3;
  several.shards.add(4, 3);
  made.count(made.row_of({database, "orders", "find", 1}).of, several);
  several.count = 2;
  made.count_rowless(several);  // of what has no row
  return made;
}

TEST(digest_builder, keeps_the_totals_of_what_has_no_row_where_a_pattern_names_its_rows) {
  for (const char* database : {"shop", "test-1"}) {
    digest::table into{10};
    digest_builder builder{catalog_with_a_pattern(), into};
    const digest::table judged = counted_in(database);
    builder.on_digest(judged);
    EXPECT_EQ(into.all(), judged.all()) << database;
    EXPECT_EQ(into.ranked().at(0)->database,
              std::string_view{database} == "shop" ? "shop" : "test-*");
    EXPECT_EQ(builder.of_source().observations, 5U) << database;
    EXPECT_EQ(builder.parts().by_app.others().commands, 5U) << database;
  }
}

TEST(digest_builder, the_advice_is_for_the_library_that_the_senders_driver_names) {
  const tests::json_document find{
      R"({"find": "orders", "filter": {"_id": 1}, "$db": "test-1"})"};
  const auto bytes = find.view().bytes();
  observation seen;
  seen.command.assign(bytes.begin(), bytes.end());
  seen.who.driver = "PyMongo|c|MongoEngine";
  digest::table into{10};
  digest_builder builder{catalog_with_a_pattern(), into};
  builder.on_command(seen);
  const std::string& advice = into.ranked().at(0)->what.suggestion;
  EXPECT_TRUE(advice.starts_with("if save(), modify(), delete() or reload() of a MongoEngine"))
      << advice;
}

}  // namespace
}  // namespace scattergate::report
