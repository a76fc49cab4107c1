#include "telemetry/sketches/sketch_book.hpp"

#include <gtest/gtest.h>

#include "telemetry/accounts/account.hpp"
#include "tests/digest/sketches/sketch_streams.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using digest::some_salt;

constexpr std::size_t collection_bytes = digest::collection_sketches::max_bytes;

sketch_batch batch_of(std::uint32_t collection, digest::sketched_field field, int count) {
  sketch_batch made;
  made.reserve();
  for (int i = 0; i < count; ++i) {
    made.values.push_back({field, digest::hash_of(static_cast<std::uint64_t>(i)), {}});
    made.statements.push_back({collection, 1, 1, false});
  }
  return made;
}

std::uint64_t requests_in(const sketch_book& book) {
  std::uint64_t made = 0;
  book.read([&](const digest::sketch_set& all) {
    for (const auto* each : all.all()) made += each->requests();
  });
  return made;
}

TEST(sketch_book, numbers_collections_and_fields) {
  memory_budget memory{100 * collection_bytes};
  sketch_book book{some_salt, memory};
  const auto orders = book.number_of("shop", "orders");
  ASSERT_TRUE(orders);
  EXPECT_EQ(book.number_of("shop", "orders"), orders);
  EXPECT_NE(book.number_of("shop", "items"), orders);
  const auto version = book.version();
  const auto tenant = book.admit(*orders, "tenant");
  ASSERT_TRUE(tenant);
  EXPECT_NE(book.version(), version);
  const auto fields = book.fields_of(*orders);
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0].path, "_id");
  EXPECT_EQ(fields[1].path, "tenant");
  EXPECT_EQ(fields[1].field, *tenant);
}

TEST(sketch_book, adds_batches_in_their_minute) {
  memory_budget memory{100 * collection_bytes};
  sketch_book book{some_salt, memory};
  const auto orders = book.number_of("shop", "orders");
  const auto tenant = book.admit(*orders, "tenant");
  const sketch_book::wall_time start{std::chrono::hours{1}};
  for (int minute = 0; minute < 3; ++minute) {
    book.add(batch_of(*orders, *tenant, 30), start + std::chrono::minutes{minute});
  }
  book.read([&](const digest::sketch_set& all) {
    const auto fields = all.find("shop", "orders")->fields();
    EXPECT_EQ(fields.front().path, "tenant");
    EXPECT_EQ(fields.front().of.values.minutes(0), (digest::minute_shares{90, 3}));
  });
}

TEST(sketch_book, takes_memory_for_each_collection_and_gives_it_back) {
  memory_budget memory{6 * collection_bytes};
  {
    sketch_book book{some_salt, memory};
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(book.number_of("shop", std::to_string(i)).has_value(), i < 3) << i;
    }
    EXPECT_EQ(memory.used(), 3 * collection_bytes);
    EXPECT_TRUE(book.number_of("shop", "2"));
  }
  EXPECT_EQ(memory.used(), 0U);
}

TEST(sketch_book, adds_what_was_kept_if_the_salt_is_the_same) {
  memory_budget memory{100 * collection_bytes};
  sketch_book book{some_salt, memory};
  digest::sketch_set same{some_salt.id()};
  pin(*same.find_or_add("shop", "orders"), {{"tenant", 1}});
  EXPECT_TRUE(book.add(same));
  EXPECT_EQ(requests_in(book), 1U);
  EXPECT_EQ(memory.used(), collection_bytes);
  digest::sketch_set other{some_salt.id() + 1};
  pin(*other.find_or_add("shop", "orders"), {{"tenant", 1}});
  EXPECT_FALSE(book.add(other));
  EXPECT_EQ(requests_in(book), 1U);
}

TEST(account, adds_every_batch_however_many_come_at_once) {
  memory_budget memory{100 * collection_bytes};
  sketch_book book{some_salt, memory};
  live_digest digest{10, memory};
  const auto orders = book.number_of("shop", "orders");
  const auto tenant = book.admit(*orders, "tenant");
  {
    account of{digest, {}, &book};
    sketch_batch batch = batch_of(*orders, *tenant, 10);
    const sketch_batch same = batch;
    for (int i = 0; i < 500; ++i) {
      batch = of.exchange(std::move(batch));
      EXPECT_TRUE(batch.is_empty());
      EXPECT_FALSE(batch.is_full());
      batch.statements = same.statements;
      batch.values = same.values;
    }
  }
  EXPECT_EQ(requests_in(book), 5'000U);
}

}  // namespace
}  // namespace scattergate::telemetry
