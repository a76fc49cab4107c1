#include "telemetry/counters/namespace_registry.hpp"

#include <gtest/gtest.h>

#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

std::string collection_of(const namespace_registry& registry, namespace_id id) {
  for (const auto& [each, labels] : registry.all()) {
    if (each == id) return std::string{labels.collection};
  }
  return "";
}

TEST(namespace_registry, gives_each_pair_one_id) {
  namespace_registry registry{10};
  const namespace_id first = registry.admit("db", "a");
  EXPECT_NE(first, other_namespace);
  EXPECT_EQ(registry.admit("db", "a"), first);
  EXPECT_EQ(registry.find("db", "a"), first);
  EXPECT_NE(registry.admit("db", "b"), first);
  EXPECT_EQ(collection_of(registry, first), "a");
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

TEST(namespace_registry, names_that_look_alike_once_replaced_are_one_series) {
  namespace_registry registry{10};
  const namespace_id id = registry.admit("db", "a\xFF");
  EXPECT_EQ(registry.admit("db", "a\xFE"), id);
  EXPECT_EQ(collection_of(registry, id), "a\xEF\xBF\xBD");
}

TEST(namespace_registry, a_collection_called_other_is_other) {
  namespace_registry registry{10};
  EXPECT_EQ(registry.admit("__other__", "__other__"), other_namespace);
  EXPECT_EQ(registry.admit("__failed__", "__failed__"), failed_namespace);
  EXPECT_EQ(registry.size(), shared_namespaces);
}

TEST(namespace_registry, gives_no_label_to_names_longer_than_mongodb_allows) {
  namespace_registry registry{10};
  EXPECT_EQ(registry.admit("db", std::string(256, 'x')), other_namespace);
  EXPECT_EQ(registry.overflow_count(), 1U);
  EXPECT_NE(registry.admit("db", std::string(255, 'x')), other_namespace);
}

TEST(namespace_registry, reports_what_came_since) {
  namespace_registry registry{10};
  EXPECT_NE(registry.admit("db", "a"), other_namespace);
  std::uint64_t version = registry.version();
  EXPECT_NE(registry.admit("db", "b"), other_namespace);
  EXPECT_NE(registry.version(), version);
  const auto came = registry.added_since(version);
  ASSERT_EQ(came.size(), 1U);
  EXPECT_EQ(came[0].second.collection, "b");
  EXPECT_EQ(registry.version(), version);
  EXPECT_TRUE(registry.added_since(version).empty());
}

/// Lets a worker answer to everything that was asked to leave.
void answer(namespace_registry& registry, std::uint64_t& seen, bool may_go) {
  registry.release_since(seen, [=](auto, const auto&) { return may_go; });
}

void free_released(namespace_registry& registry, bool is_quiet = true) {
  registry.free_released([=](auto) { return is_quiet; });
}

TEST(namespace_registry, frees_an_id_once_every_worker_has_released_it) {
  namespace_registry registry{1};
  registry.add_worker();
  registry.add_worker();
  const namespace_id id = registry.admit("db", "a");
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  registry.leave(id);
  answer(registry, first, true);
  free_released(registry);
  EXPECT_TRUE(registry.find("db", "a").has_value());
  EXPECT_EQ(registry.admit("db", "b"), other_namespace);
  answer(registry, first, true);  // it is asked once
  free_released(registry);
  EXPECT_TRUE(registry.find("db", "a").has_value());
  answer(registry, second, true);
  free_released(registry);
  EXPECT_FALSE(registry.find("db", "a").has_value());
  EXPECT_EQ(registry.evicted_count(), 1U);
  EXPECT_EQ(registry.admit("db", "b"), id);
}

TEST(namespace_registry, calls_back_what_somebody_still_needs) {
  for (const char* who : {"a worker", "a command", "what was counted", "a new worker"}) {
    namespace_registry registry{2};
    registry.add_worker();
    registry.add_worker();
    const namespace_id id = registry.admit("db", "a");
    std::uint64_t first = registry.version();
    std::uint64_t second = first;
    registry.leave(id);
    EXPECT_EQ(registry.size(), shared_namespaces);
    answer(registry, first, true);
    const std::string_view needs{who};
    if (needs == "a worker") answer(registry, second, false);
    if (needs == "a command") {
      EXPECT_EQ(registry.admit("db", "a"), id);
    }
    if (needs == "a new worker") registry.add_worker();
    answer(registry, second, true);
    free_released(registry, needs != "what was counted");
    EXPECT_EQ(registry.find("db", "a"), id) << who;
    EXPECT_EQ(registry.size(), shared_namespaces + 1) << who;
    // The worker that had released it learns it again.
    EXPECT_EQ(registry.added_since(first).size(), 1U) << who;
    EXPECT_EQ(registry.evicted_count(), 0U) << who;
  }
}

TEST(namespace_registry, keeps_the_shared_ones) {
  namespace_registry registry{2};
  EXPECT_TRUE(registry.ordinary().empty());
  registry.leave(other_namespace);
  free_released(registry);
  EXPECT_EQ(registry.size(), shared_namespaces);
  const namespace_id id = registry.admit("db", "a");
  EXPECT_EQ(registry.ordinary(), std::vector{id});
}

TEST(namespace_registry, gives_strangers_a_quarter_at_most) {
  namespace_registry registry{8};
  EXPECT_TRUE(registry.admit_provisional("db", "a").has_value());
  EXPECT_TRUE(registry.admit_provisional("db", "b").has_value());
  EXPECT_FALSE(registry.admit_provisional("db", "c").has_value());
  EXPECT_EQ(registry.admit_provisional("db", "a"), registry.find("db", "a"));
  EXPECT_EQ(registry.overflow_count(), 0U);
  // A known client's pair is no longer one of them.
  const namespace_id a = registry.admit("db", "a");
  EXPECT_FALSE(registry.is_provisional(a));
  EXPECT_TRUE(registry.admit_provisional("db", "c").has_value());
  registry.confirm(*registry.find("db", "b"));
  EXPECT_TRUE(registry.admit_provisional("db", "d").has_value());
  EXPECT_FALSE(registry.admit_provisional("db", "e").has_value());
  EXPECT_FALSE(registry.admit_provisional("db", std::string(256, 'x')).has_value());
}

TEST(namespace_registry, strangers_pairs_give_way_to_others_and_do_not_come_back_at_once) {
  namespace_registry registry{4};
  registry.add_worker();
  std::uint64_t seen = 0;
  const auto provisional = registry.admit_provisional("db", "strangers");
  ASSERT_TRUE(provisional.has_value());
  EXPECT_TRUE(registry.evictable().empty());
  for (const char* name : {"a", "b", "c"})
    EXPECT_NE(registry.admit("db", name), other_namespace);
  EXPECT_EQ(registry.admit("db", "d"), other_namespace);
  EXPECT_EQ(registry.evictable(), std::vector{*provisional});
  registry.leave(*provisional);
  answer(registry, seen, true);
  free_released(registry);
  EXPECT_FALSE(registry.admit_provisional("db", "strangers").has_value());
  EXPECT_EQ(registry.admit("db", "d"), provisional);
  // They may again once an ordinary pair has left.
  for (const namespace_id each : registry.ordinary()) registry.leave(each);
  answer(registry, seen, true);
  free_released(registry);
  EXPECT_TRUE(registry.admit_provisional("db", "strangers").has_value());
}

TEST(namespace_registry, a_strangers_pair_that_is_leaving_stays_for_a_known_client) {
  namespace_registry registry{4};
  registry.add_worker();
  std::uint64_t seen = 0;
  const auto id = registry.admit_provisional("db", "a");
  registry.leave(*id);
  registry.confirm(*id);
  answer(registry, seen, true);
  free_released(registry);
  EXPECT_EQ(registry.find("db", "a"), id);
  EXPECT_FALSE(registry.is_provisional(*id));
}

}  // namespace
}  // namespace scattergate::telemetry
