#include "routing/catalog/patterns.hpp"

#include <gtest/gtest.h>

namespace scattergate::routing {
namespace {

collection named(std::string database, std::string name) {
  collection made;
  made.database = std::move(database);
  made.name = std::move(name);
  made.key.push_back({"k", false});
  return made;
}

std::shared_ptr<const catalog> catalog_of(
    const std::vector<std::pair<std::string, std::string>>& names) {
  catalog_builder builder;
  for (const auto& [database, name] : names) {
    EXPECT_FALSE(builder.add(named(database, name)));
    EXPECT_FALSE(builder.finish_collection());
  }
  return builder.build();
}

TEST(catalog_patterns, stand_in_for_what_is_not_listed_otherwise) {
  const auto made = catalog_of({{"test-*", "clients"},
                                {"*", "clients"},
                                {"test-1", "clients"},
                                {"test-meta-*", "cli*"},
                                {"shop", "orders"},
                                {"run?", "x"}});
  struct row {
    const char* database;
    const char* name;
    const char* found;  // null: nothing
  };
  const row rows[] = {
      {"test-1", "clients", "test-1.clients"},
      {"test-2", "clients", "test-*.clients"},
      {"test-meta-7", "clients", "test-meta-*.cli*"},
      {"test-meta-7", "clicks", "test-meta-*.cli*"},
      {"other", "clients", "*.clients"},
      {"other", "a.clients", nullptr},
      {"run7", "x", "run?.x"},
      {"run77", "x", nullptr},
      {"shop", "orders", "shop.orders"},
      {"shop", "carts", nullptr},
      {"", "", nullptr},
  };
  for (const row& one : rows) {
    const collection* const found = made->find(one.database, one.name);
    EXPECT_EQ(found == nullptr ? "" : found->full_name(), one.found == nullptr ? "" : one.found)
        << one.database << "." << one.name;
  }
}

TEST(catalog_patterns, of_one_length_are_always_asked_in_one_order) {
  const auto one = catalog_of({{"a*", "x"}, {"*b", "x"}});
  const auto other = catalog_of({{"*b", "x"}, {"a*", "x"}});
  EXPECT_EQ(one->find("ab", "x")->full_name(), other->find("ab", "x")->full_name());
}

TEST(catalog_patterns, are_bounded) {
  catalog_builder builder;
  for (std::size_t i = 0; i < max_patterns; ++i) {
    EXPECT_FALSE(builder.add(named("t*", "c" + std::to_string(i))));
  }
  EXPECT_TRUE(builder.add(named("t*", "further")));
  EXPECT_FALSE(builder.add(named("t", "exact")));
}

TEST(catalog_patterns, a_clusters_own_collection_is_none) {
  collection live = named("shop", "wh*t?");
  EXPECT_TRUE(is_pattern(live));
  live.use = std::make_shared<use_mark>();
  EXPECT_FALSE(is_pattern(live));
  catalog_builder builder;
  EXPECT_FALSE(builder.add(live));
  const auto made = builder.build();
  EXPECT_EQ(made->find("shop", "what?"), nullptr);
  EXPECT_NE(made->find("shop", "wh*t?"), nullptr);
}

TEST(catalog_patterns, a_view_is_none) {
  collection view = named("test-*", "cold");
  view.key.clear();
  view.view_on = "orders";
  EXPECT_TRUE(catalog_builder{}.add(view));
}

TEST(catalog_patterns, call_the_databases_that_are_made_up_for_each_run) {
  const auto made = catalog_of({{"test-*", "clients"},
                                {"test-meta-*", "clients"},
                                {"test-1", "orders"},
                                {"*", "clients"},
                                {"shop", "o*"}});
  struct row {
    const char* database;
    const char* pattern;
  };
  for (const row& one : {row{"test-2", "test-*"}, row{"test-meta-2", "test-meta-*"},
                         row{"test-1", ""}, row{"shop", ""}, row{"admin", ""}}) {
    EXPECT_EQ(pattern_of_database(made->collections(), one.database), one.pattern)
        << one.database;
  }
}

}  // namespace
}  // namespace scattergate::routing
