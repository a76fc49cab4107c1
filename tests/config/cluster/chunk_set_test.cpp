#include "config/cluster/chunk_set.hpp"

#include <random>

#include <gtest/gtest.h>

#include "tests/support/json_document.hpp"

namespace scattergate::config {
namespace {

using tests::json_document;

routing::collection by_a() {
  routing::collection of;
  of.database = "d";
  of.name = "c";
  of.key = {{"a", false}};
  return of;
}

constexpr int least = 0;
constexpr int most = 1000;

std::string bound_text(int at) {
  if (at == least) return R"({"a": {"$minKey": 1}})";
  if (at == most) return R"({"a": {"$maxKey": 1}})";
  return R"({"a": )" + std::to_string(at) + "}";
}

struct plain_chunk {
  int min = least;
  int max = most;
  std::string shard = "s0";
  chunk_version version;
};

chunk_update update_of(const plain_chunk& from) {
  const json_document min{bound_text(from.min)};
  const json_document max{bound_text(from.max)};
  chunk_record record;
  record.min = min.view();
  record.max = max.view();
  record.shard = from.shard;
  record.version = from.version;
  return read_update(by_a(), record).value();
}

/// A config.chunks of one collection, changed as config servers change it.
class config_chunks {
 public:
  config_chunks() { chunks_.push_back({least, most, "s0", {1, 0}}); }

  void change(std::mt19937& random) {
    const std::size_t i = random() % chunks_.size();
    switch (random() % 3) {
      case 0:
        return split(i, random);
      case 1:
        return move(i, "s" + std::to_string(random() % 4));
      default:
        return merge(i);
    }
  }

  [[nodiscard]] std::vector<chunk_update> since(chunk_version from,
                                                std::mt19937& random) const {
    std::vector<chunk_update> found;
    for (const plain_chunk& one : chunks_) {
      if (one.version >= from) found.push_back(update_of(one));
    }
    std::shuffle(found.begin(), found.end(), random);  // a server may ignore the sort
    return found;
  }

  [[nodiscard]] const std::vector<plain_chunk>& all() const { return chunks_; }

 private:
  void split(std::size_t i, std::mt19937& random) {
    plain_chunk& one = chunks_[i];
    if (one.max - one.min < 2) return;
    plain_chunk upper = one;
    upper.min =
        one.min + 1 + static_cast<int>(random() % static_cast<unsigned>(one.max - one.min - 1));
    one.max = upper.min;
    one.version = next_minor();
    upper.version = next_minor();
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(i) + 1, upper);
  }

  void move(std::size_t i, const std::string& to) {
    const std::string from = chunks_[i].shard;
    if (from == to) return;
    chunks_[i].shard = to;
    highest_ = chunks_[i].version = {highest_.major + 1, 0};
    // The donor's version rises too, by a chunk that stays.
    for (plain_chunk& one : chunks_) {
      if (one.shard != from) continue;
      one.version = next_minor();
      break;
    }
  }

  void merge(std::size_t i) {
    if (i + 1 >= chunks_.size() || chunks_[i].shard != chunks_[i + 1].shard) return;
    chunks_[i].max = chunks_[i + 1].max;
    chunks_[i].version = next_minor();
    chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }

  chunk_version next_minor() {
    ++highest_.minor;
    return highest_;
  }

  std::vector<plain_chunk> chunks_;
  chunk_version highest_{1, 0};
};

void expect_same(const chunk_set& set, const config_chunks& chunks) {
  ASSERT_EQ(set.size(), chunks.all().size());
  for (const plain_chunk& one : chunks.all()) EXPECT_TRUE(set.has(update_of(one)));
}

TEST(chunk_set, is_the_same_by_increments_as_at_once) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random{seed};
    config_chunks chunks;
    chunk_set grown;
    grown.merge(chunks.since({}, random));
    for (int round = 0; round < 25; ++round) {
      for (auto changes = random() % 12; changes > 0; --changes) chunks.change(random);
      const auto version = grown.version();
      ASSERT_TRUE(version);
      auto newer = chunks.since(*version, random);
      ASSERT_FALSE(newer.empty());
      grown.merge(std::move(newer));
      ASSERT_TRUE(grown.is_whole(by_a())) << "seed " << seed;
      ASSERT_NO_FATAL_FAILURE(expect_same(grown, chunks)) << "seed " << seed;
    }
    chunk_set whole;
    whole.merge(chunks.since({}, random));
    EXPECT_EQ(whole.version(), grown.version());
  }
}

TEST(chunk_set, sees_gaps_at_both_ends_and_between) {
  const std::vector<std::vector<plain_chunk>> holed = {
      {},
      {{5, most, "s", {1, 0}}},
      {{least, 5, "s", {1, 0}}},
      {{least, 5, "s", {1, 0}}, {6, most, "s", {1, 1}}},
  };
  for (const auto& chunks : holed) {
    chunk_set set;
    for (const auto& one : chunks) set.merge({update_of(one)});
    EXPECT_FALSE(set.is_whole(by_a()));
  }
}

TEST(chunk_set, lets_a_newer_chunk_leave_a_gap_where_it_cuts_an_older_one) {
  chunk_set set;
  set.merge({update_of({least, most, "s0", {1, 0}})});
  set.merge({update_of({10, 20, "s1", {2, 0}})});
  EXPECT_EQ(set.size(), 1U);
  EXPECT_FALSE(set.is_whole(by_a()));
}

TEST(chunk_set, knows_no_version_where_a_chunk_has_none) {
  chunk_set set;
  EXPECT_FALSE(set.version());
  chunk_update update = update_of({});
  update.version.reset();
  set.merge({update});
  EXPECT_TRUE(set.is_whole(by_a()));
  EXPECT_FALSE(set.version());
}

TEST(chunk_set, refuses_bounds_of_another_key) {
  const std::pair<const char*, const char*> bad[] = {
      {R"({"a": 1})", R"({"a": 1})"}, {R"({"a": 2})", R"({"a": 1})"},
      {R"({"b": 1})", R"({"b": 2})"}, {R"({"a": 1, "b": 1})", R"({"a": 2, "b": 1})"},
      {R"({})", R"({"a": 2})"},
  };
  for (const auto& [low, high] : bad) {
    const json_document min{low};
    const json_document max{high};
    chunk_record record;
    record.min = min.view();
    record.max = max.view();
    record.shard = "s";
    EXPECT_FALSE(read_update(by_a(), record)) << low;
  }
}

}  // namespace
}  // namespace scattergate::config
