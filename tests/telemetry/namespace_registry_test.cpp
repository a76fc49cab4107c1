#include "telemetry/namespace_registry.hpp"

#include <gtest/gtest.h>

#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

TEST(namespace_registry, gives_each_pair_one_id) {
  namespace_registry registry{10};
  const namespace_id first = registry.admit("db", "a");
  EXPECT_NE(first, other_namespace);
  EXPECT_EQ(registry.admit("db", "a"), first);
  EXPECT_EQ(registry.find("db", "a"), first);
  EXPECT_NE(registry.admit("db", "b"), first);
  EXPECT_EQ(registry.labels_of(first).collection, "a");
  EXPECT_FALSE(registry.find("db", "c").has_value());
}

TEST(namespace_registry, keeps_database_and_collection_apart) {
  namespace_registry registry{10};
  EXPECT_NE(registry.admit("a", "b.c"), registry.admit("a.b", "c"));
  EXPECT_NE(registry.admit("ab", ""), registry.admit("", "ab"));
}

TEST(namespace_registry, folds_what_is_beyond_the_cap_and_counts_it) {
  namespace_registry registry{2};
  EXPECT_NE(registry.admit("db", "a"), other_namespace);
  EXPECT_NE(registry.admit("db", "b"), other_namespace);
  EXPECT_EQ(registry.admit("db", "c"), other_namespace);
  EXPECT_EQ(registry.admit("db", "c"), other_namespace);
  EXPECT_EQ(registry.overflow_count(), 2U);
  EXPECT_EQ(registry.size(), registry.capacity());
}

TEST(namespace_registry, reserves_the_catalogs_collections_first) {
  namespace_registry registry{2};
  registry.add_catalog(*tests::catalog_of({{"db", "a"}, {"db", "b"}, {"db", "c"}}));
  EXPECT_TRUE(registry.find("db", "a").has_value());
  EXPECT_TRUE(registry.find("db", "b").has_value());
  EXPECT_FALSE(registry.find("db", "c").has_value());
  EXPECT_EQ(registry.overflow_count(), 0U);
}

TEST(namespace_registry, a_catalog_read_again_changes_nothing) {
  namespace_registry registry{5};
  registry.add_catalog(*tests::catalog_of({{"db", "a"}}));
  const auto id = registry.find("db", "a");
  registry.add_catalog(*tests::catalog_of({{"db", "0"}, {"db", "a"}}));
  EXPECT_EQ(registry.find("db", "a"), id);
  EXPECT_EQ(registry.size(), 3U);
}

TEST(namespace_registry, names_that_look_alike_once_replaced_are_one_series) {
  namespace_registry registry{10};
  const namespace_id id = registry.admit("db", "a\xFF");
  EXPECT_EQ(registry.admit("db", "a\xFE"), id);
  EXPECT_EQ(registry.labels_of(id).collection, "a\xEF\xBF\xBD");
}

TEST(namespace_registry, a_collection_called_other_is_other) {
  namespace_registry registry{10};
  EXPECT_EQ(registry.admit("__other__", "__other__"), other_namespace);
  EXPECT_EQ(registry.size(), 1U);
}

TEST(namespace_registry, gives_no_label_to_names_longer_than_mongodb_allows) {
  namespace_registry registry{10};
  EXPECT_EQ(registry.admit("db", std::string(256, 'x')), other_namespace);
  EXPECT_EQ(registry.overflow_count(), 1U);
  EXPECT_NE(registry.admit("db", std::string(255, 'x')), other_namespace);
}

TEST(namespace_registry, tells_what_came_since) {
  namespace_registry registry{10};
  registry.add_catalog(*tests::catalog_of({{"db", "a"}, {"db", "b"}}));
  const auto labels = registry.labels_from(2);
  ASSERT_EQ(labels.size(), 1U);
  EXPECT_EQ(labels[0].collection, "b");
  EXPECT_TRUE(registry.labels_from(3).empty());
}

}  // namespace
}  // namespace scattergate::telemetry
