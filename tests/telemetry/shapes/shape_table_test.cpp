#include "telemetry/shapes/shape_table.hpp"

#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/allocation_counter.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr caller_view yorkie{"yorkie", "go", "app", "10.0.0.1:4711", "housekeeping"};

constexpr std::size_t all = 1'000'000;

/// A command that reached four shards and took this long.
shape_ending took(nanoseconds duration) {
  shape_ending how;
  how.to = {4, routing::routing_class::scatter_gather, true};
  how.duration = duration;
  how.at = shape_table::clock::now();
  return how;
}

shape_table::ticket begin(shape_table& table, std::uint64_t shape_hash) {
  const shape_details details = tests::sample_finding(shape_hash);
  if (const auto known = table.begin(key_of(details))) return *known;
  return table.admit(details);
}

bool count_one(shape_table& table, std::uint64_t shape_hash,
               const caller_view& caller = yorkie) {
  return table.complete(begin(table, shape_hash), took(milliseconds{1}), caller);
}

/// Whether the table has a place for it, or none for anybody.
bool knows(shape_table& table, const shape_details& details) {
  const auto ticket = table.begin(key_of(details));
  if (ticket) table.cancel(*ticket);
  return ticket.has_value();
}

std::uint64_t callers_sum(const shape_delta& delta) {
  std::uint64_t sum = delta.who.others();
  for (const digest::caller& caller : delta.who.all()) sum += caller.count;
  return sum;
}

TEST(shape_table, reports_the_fan_out_of_the_last_command) {
  using names = std::optional<std::vector<std::string>>;
  shape_table table{10, tests::plenty()};
  shape_details details = tests::sample_finding(1);
  details.shards = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"s0", "s1", "s2"});
  details.fanout = {0b001};
  const auto last_of = [&](shape_table::ticket one) {
    (void)table.complete(one, took(milliseconds{1}), yorkie);
    return fanout_of(table.drain_counts(all).at(0));
  };
  const auto again = [&](const std::vector<std::uint64_t>& bits) {
    return *table.begin(key_of(details), {}, {details.shards.get(), bits});
  };
  EXPECT_EQ(last_of(table.admit(details)), (names{{"s0"}}));
  EXPECT_EQ(last_of(again({0b110})), (names{{"s1", "s2"}}));
  EXPECT_EQ(last_of(again({})), std::nullopt);
  const auto first = again({0b010});
  EXPECT_EQ(last_of(table.begin_again(first)), (names{{"s1"}}));
  // Bits for the shards of another catalog mean nothing here.
  const std::vector<std::uint64_t> bits{0b111};
  const auto elsewhere = table.begin(key_of(details), {}, {nullptr, bits});
  EXPECT_EQ(last_of(*elsewhere), (names{{"s1"}}));
}

TEST(shape_table, hands_over_what_was_completed) {
  shape_table table{10, tests::plenty()};
  EXPECT_TRUE(table.complete(begin(table, 1), took(milliseconds{3}), yorkie));
  EXPECT_FALSE(table.complete(begin(table, 1), took(milliseconds{5}), yorkie));
  const auto deltas = table.drain_counts(all);
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_EQ(deltas[0].count, 2U);
  EXPECT_EQ(deltas[0].longest, milliseconds{5});
  EXPECT_EQ(deltas[0].total, milliseconds{8});
  EXPECT_EQ(deltas[0].details->collection, "clients");
  ASSERT_EQ(deltas[0].who.all().size(), 1U);
  EXPECT_EQ(deltas[0].who.all()[0].app_name, "yorkie");
  EXPECT_EQ(deltas[0].who.all()[0].comment, "housekeeping");
  EXPECT_EQ(deltas[0].who.all()[0].count, 2U);
  EXPECT_TRUE(table.drain_counts(all).empty());
}

TEST(shape_table, says_once_that_a_finding_is_the_first_of_its_key) {
  shape_table table{10, tests::plenty()};
  EXPECT_TRUE(count_one(table, 1));
  EXPECT_EQ(table.drain_counts(all).size(), 1U);
  EXPECT_FALSE(count_one(table, 1));
  EXPECT_TRUE(count_one(table, 2));
}

TEST(shape_table, distinguishes_every_part_of_the_key) {
  std::vector<shape_details> findings(8, tests::sample_finding());
  findings[1].database = "other";
  findings[2].collection = "documents";
  findings[3].command = routing::command_kind::count;
  findings[4].shape_hash = 7;
  findings[5].what.why = routing::reason::negation;
  findings[6].action = finding_action::accepted;
  findings[7].rule = "housekeeping";
  shape_table table{10, tests::plenty()};
  for (const shape_details& each : findings) {
    EXPECT_FALSE(knows(table, each));
    EXPECT_TRUE(table.complete(table.admit(each), took(nanoseconds{1}), yorkie));
    EXPECT_TRUE(knows(table, each));
  }
  EXPECT_EQ(table.drain_counts(all).size(), findings.size());
}

TEST(shape_table, a_finding_under_way_is_not_counted_yet) {
  shape_table table{10, tests::plenty()};
  const auto ticket = begin(table, 1);
  EXPECT_TRUE(table.drain_counts(all).empty());
  EXPECT_TRUE(table.complete(ticket, took(milliseconds{1}), yorkie));
  EXPECT_EQ(table.drain_counts(all).at(0).count, 1U);
}

TEST(shape_table, folds_callers_beyond_the_bound) {
  shape_table table{10, tests::plenty()};
  for (int i = 0; i < 41; ++i) {
    const std::string name = "app" + std::to_string(i);
    count_one(table, 1, {name, "", "", "", ""});
  }
  const auto deltas = table.drain_counts(all);
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_EQ(deltas[0].count, 41U);
  EXPECT_EQ(deltas[0].who.all().size(), max_callers);
  EXPECT_EQ(deltas[0].who.others(), 41U - max_callers);
}

TEST(shape_table, hands_over_some_at_a_time) {
  shape_table table{10, tests::plenty()};
  for (std::uint64_t shape = 1; shape <= 5; ++shape) count_one(table, shape);
  EXPECT_EQ(table.drain_counts(3).size(), 3U);
  EXPECT_TRUE(table.has_counts());
  EXPECT_EQ(table.drain_counts(3).size(), 2U);
  EXPECT_FALSE(table.has_counts());
}

TEST(shape_table, counts_what_has_earned_no_place_together) {
  shape_table table{1, tests::plenty()};
  EXPECT_TRUE(table.complete(table.begin_failed(), took(milliseconds{1}), yorkie));
  EXPECT_FALSE(table.complete(table.begin_failed(), took(milliseconds{1}), yorkie));
  count_one(table, 1);
  EXPECT_EQ(table.overflow_count(), 0U);
  for (const shape_delta& delta : table.drain_counts(all)) {
    const bool is_failed = delta.details->scope == shape_scope::failed;
    EXPECT_EQ(delta.count, is_failed ? 2U : 1U);
  }
}

TEST(shape_table, keeps_findings_and_callers_out_of_the_account) {
  memory_budget memory{64UL * 1024};
  {
    shape_table table{1000, memory};
    std::uint64_t shape = 1;
    while (count_one(table, shape)) ++shape;
    EXPECT_GT(shape, 5U);
    EXPECT_LT(shape, 40U);
    EXPECT_LE(memory.used(), memory.limit() * 3 / 4);
    EXPECT_EQ(table.overflow_count(), 2U) << "what had no room is counted all the same";
    for (int i = 0; i < 20; ++i) {
      const std::string app = "app " + std::to_string(i);
      (void)table.complete(begin(table, 1), took(milliseconds{1}), {app, "", "", "", ""});
    }
    EXPECT_LE(memory.used(), memory.limit() * 3 / 4);
    std::uint64_t counted = 0;
    for (const shape_delta& delta : table.drain_counts(all)) {
      counted += delta.count;
      EXPECT_EQ(callers_sum(delta), delta.count);
    }
    EXPECT_EQ(counted, shape + 20);
  }
  EXPECT_EQ(memory.used(), 0U);
}

TEST(shape_table, gives_back_quiet_places) {
  using namespace std::chrono_literals;
  shape_table table{2, tests::plenty()};
  shape_table::clock::time_point now{};
  count_one(table, 1);
  const auto under_way = begin(table, 2);
  EXPECT_EQ(table.evict_quiet(now += 10s, 10s), 0U);
  // Counts that weren't taken, and commands in progress, are kept.
  EXPECT_EQ(table.evict_quiet(now += 10s, 10s), 0U);
  EXPECT_EQ(table.drain_counts(all).size(), 1U);
  EXPECT_EQ(table.evict_quiet(now += 10s, 10s), 0U) << "it is quiet from now on";
  EXPECT_EQ(table.evict_quiet(now += 10s, 10s), 1U);
  EXPECT_FALSE(knows(table, tests::sample_finding(1)));
  EXPECT_TRUE(count_one(table, 3)) << "it takes the place, as a finding of its own";
  EXPECT_TRUE(table.complete(under_way, took(1ms), yorkie));
  const auto deltas = table.drain_counts(all);
  ASSERT_EQ(deltas.size(), 2U);
  EXPECT_EQ(deltas[0].details->shape_hash + deltas[1].details->shape_hash, 5U);
  EXPECT_EQ(table.overflow_count(), 0U);
}

TEST(shape_table, gives_idle_slots_to_new_callers_after_a_hand_over) {
  shape_table table{10, tests::plenty()};
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < max_callers; ++i) {
      const std::string name = std::to_string(round) + "-" + std::to_string(i);
      count_one(table, 1, {name, "", "", "", ""});
    }
    const auto deltas = table.drain_counts(all);
    ASSERT_EQ(deltas.size(), 1U);
    EXPECT_EQ(deltas[0].who.others(), 0U);
    EXPECT_EQ(deltas[0].who.all().size(), max_callers);
  }
}

TEST(shape_table, cuts_what_callers_say) {
  shape_table table{10, tests::plenty()};
  const std::string endless(100'000, 'x');
  count_one(table, 1, {endless, endless, endless, endless, endless});
  count_one(table, 1, {endless + "y", endless, endless, endless, endless});
  const auto deltas = table.drain_counts(all);
  ASSERT_EQ(deltas.at(0).who.all().size(), 1U);
  EXPECT_EQ(deltas[0].who.all()[0].comment.size(), 256U);
  EXPECT_EQ(deltas[0].who.all()[0].app_name.size(), max_caller_text);
  EXPECT_EQ(deltas[0].who.all()[0].count, 2U);
}

TEST(shape_table, folds_findings_beyond_the_cap) {
  shape_table table{2, tests::plenty()};
  for (std::uint64_t shape = 1; shape <= 5; ++shape) count_one(table, shape);
  count_one(table, 1);
  EXPECT_EQ(table.overflow_count(), 3U);
  const auto deltas = table.drain_counts(all);
  ASSERT_EQ(deltas.size(), 3U);
  std::uint64_t folded = 0;
  for (const shape_delta& delta : deltas) {
    if (delta.details->is_shared()) folded += delta.count;
  }
  EXPECT_EQ(folded, 3U);
}

TEST(shape_table, when_full_takes_any_key_without_details) {
  shape_table table{1, tests::plenty()};
  count_one(table, 1);
  const auto folded = table.begin(key_of(tests::sample_finding(99)));
  ASSERT_TRUE(folded.has_value());
  EXPECT_TRUE(table.complete(*folded, took(milliseconds{1}), yorkie));
  EXPECT_EQ(table.overflow_count(), 1U);
}

TEST(shape_table, needs_details_anew_after_a_reload) {
  shape_table table{1, tests::plenty()};
  const auto under_way = begin(table, 1);
  EXPECT_TRUE(count_one(table, 1));
  table.outdate_details();
  shape_details renewed = tests::sample_finding(1);
  renewed.what.shard_key_json = R"({"doc_id":"hashed"})";
  EXPECT_FALSE(knows(table, renewed));
  EXPECT_FALSE(table.complete(table.admit(renewed), took(milliseconds{1}), yorkie));
  EXPECT_TRUE(knows(table, renewed));
  EXPECT_FALSE(table.complete(under_way, took(milliseconds{1}), yorkie));
  const auto deltas = table.drain_counts(all);
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_EQ(deltas[0].count, 3U);
  EXPECT_EQ(deltas[0].details->what.shard_key_json, renewed.what.shard_key_json);
}

TEST(shape_table, counts_known_findings_of_known_callers_without_allocating) {
  shape_table table{10, tests::plenty()};
  const shape_details details = tests::sample_finding();
  count_one(table, details.shape_hash);
  const auto handed_over = table.drain_counts(all);
  const scattergate::tests::allocation_counter allocations;
  for (int i = 0; i < 100; ++i) {
    const auto known = table.begin(key_of(details));
    EXPECT_TRUE(known.has_value());
    EXPECT_FALSE(
        table.complete(known.value_or(shape_table::ticket{}), took(milliseconds{1}), yorkie));
  }
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_EQ(handed_over.size(), 1U);
}

shape_details plain_shape(std::uint64_t shape_hash) {
  shape_details details = tests::sample_finding(shape_hash);
  details.action.reset();
  details.what.routing = routing::routing_class::single_shard;
  return details;
}

TEST(shape_table, counts_shapes_that_are_no_findings_and_hurries_no_one) {
  shape_table table{10, tests::plenty()};
  EXPECT_FALSE(knows(table, plain_shape(1)));
  EXPECT_FALSE(table.complete(table.admit(plain_shape(1)), took(milliseconds{1}), yorkie));
  EXPECT_TRUE(knows(table, plain_shape(1)));
  EXPECT_TRUE(count_one(table, 1)) << "the finding of the same shape has a place of its own";
  EXPECT_EQ(table.drain_counts(all).size(), 2U);
}

TEST(shape_table, findings_and_others_never_take_each_others_places) {
  shape_table table{2, tests::plenty()};
  for (std::uint64_t shape = 1; shape <= 5; ++shape) {
    const auto known = table.begin(key_of(plain_shape(shape)));
    const auto ticket = known ? *known : table.admit(plain_shape(shape));
    EXPECT_FALSE(table.complete(ticket, took(milliseconds{1}), yorkie));
  }
  for (std::uint64_t shape = 1; shape <= 2; ++shape) EXPECT_TRUE(count_one(table, shape));
  EXPECT_EQ(table.overflow_count(), 0U);
  std::uint64_t rowless = 0;
  for (const shape_delta& delta : table.drain_counts(all)) {
    if (delta.details->scope == shape_scope::rowless) rowless += delta.count;
  }
  EXPECT_EQ(rowless, 3U);
}

TEST(shape_table, needs_details_anew_of_a_command_that_is_routed_worse) {
  shape_table table{2, tests::plenty()};
  (void)table.complete(table.admit(plain_shape(1)), took(milliseconds{1}), yorkie);
  const auto begin_as = [&](routing::routing_class routing) {
    const auto ticket = table.begin(key_of(plain_shape(1)), routing);
    if (ticket) table.cancel(*ticket);
    return ticket.has_value();
  };
  EXPECT_TRUE(begin_as(routing::routing_class::single_shard));
  EXPECT_FALSE(begin_as(routing::routing_class::multi_shard));
}

TEST(shape_table, adds_up_where_commands_went_and_how_they_ended) {
  using enum routing::routing_class;
  shape_table table{2, tests::plenty()};
  const auto ticket = table.admit(plain_shape(1));
  (void)table.complete(ticket, took(milliseconds{1}), yorkie);
  const std::uint64_t caller = known_as(yorkie);
  const auto again = [&](destination to, bool is_error) {
    const shape_ending how{to, is_error, milliseconds{2}, shape_table::clock::now()};
    EXPECT_TRUE(table.complete_known(table.begin_again(ticket), how, caller));
  };
  for (int i = 0; i < 3; ++i) again({1, single_shard, true}, false);
  again({0, unknown, false}, true);
  again({2, multi_shard, true}, false);
  const auto deltas = table.drain_counts(all);
  ASSERT_EQ(deltas.size(), 1U);
  const shape_delta& sum = deltas[0];
  EXPECT_EQ(sum.count, 6U);
  EXPECT_EQ(sum.errors, 1U);
  EXPECT_EQ(sum.by_routing[static_cast<std::size_t>(single_shard)], 3U);
  EXPECT_EQ(sum.by_routing[static_cast<std::size_t>(multi_shard)], 1U);
  EXPECT_EQ(sum.shards.commands, 5U);
  EXPECT_EQ(sum.shards.asked, 4U + 3U + 2U);
  EXPECT_EQ(sum.shards.wasted, 3U + 1U);
  EXPECT_EQ(sum.times.count(), 6U);
  EXPECT_EQ(sum.total, milliseconds{11});
  EXPECT_EQ(sum.who.all().at(0).count, 6U);
  EXPECT_LE(*sum.first_seen, *sum.last_seen);
  EXPECT_FALSE(table.complete_known(table.begin_again(ticket), took(milliseconds{1}), caller))
      << "the first after a hand-over must be noted";
}

TEST(shape_table, callers_that_take_turns_and_those_not_known_yet_count_as_they_are) {
  shape_table table{2, tests::plenty()};
  const auto ticket = table.admit(plain_shape(1));
  const caller_view other{"billing", "go", "", "10.0.0.2", ""};
  (void)table.complete(ticket, took(milliseconds{1}), yorkie);
  (void)table.complete(table.begin_again(ticket), took(milliseconds{1}), other);
  const shape_ending nowhere{{}, false, milliseconds{1}, shape_table::clock::now()};
  for (int i = 0; i < 10; ++i) {
    const caller_view& by = i % 3 == 0 ? yorkie : other;
    EXPECT_TRUE(table.complete_known(table.begin_again(ticket), nowhere, known_as(by)));
  }
  auto unknown = table.begin_again(ticket);
  EXPECT_FALSE(table.complete_known(unknown, nowhere, 0));
  const auto sum = table.drain_counts(all).at(0);
  EXPECT_EQ(sum.count, 12U);
  EXPECT_EQ(sum.who.all().at(0).count, 5U);
  EXPECT_EQ(sum.who.all().at(1).count, 7U);
  EXPECT_FALSE(table.complete_known(unknown, nowhere, 0)) << "nor is it after a hand-over";
  EXPECT_TRUE(table.drain_counts(all).empty());
  (void)table.complete(unknown, nowhere, yorkie);
}

TEST(shape_table, every_script_adds_up) {
  for (unsigned seed = 1; seed <= scattergate::tests::repetitions(200); ++seed) {
    std::mt19937 random{seed};
    shape_table table{1 + random() % 8, tests::plenty()};
    std::vector<std::pair<shape_table::ticket, std::uint64_t>> under_way;
    std::map<std::uint64_t, std::uint64_t> completed;  // by shape
    std::map<std::uint64_t, std::uint64_t> handed_over;
    std::uint64_t folded = 0;
    shape_table::clock::time_point now{};
    const auto take = [&] {
      for (const shape_delta& delta : table.drain_counts(1 + random() % 4)) {
        EXPECT_EQ(callers_sum(delta), delta.count);
        EXPECT_GE(delta.total, delta.longest);
        (delta.details->is_shared() ? folded : handed_over[delta.details->shape_hash]) +=
            delta.count;
      }
    };
    const auto complete = [&](std::size_t i) {
      const std::string app = "app" + std::to_string(random() % 30);
      auto ticket = under_way[i].first;
      if (random() % 8 == 0) {
        table.cancel(ticket);
        ticket = table.begin_failed();
      }
      static_cast<void>(
          table.complete(ticket, took(nanoseconds{random() % 1000}), {app, "go", "", "", ""}));
      ++completed[under_way[i].second];
      under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(i));
    };
    for (int step = 0; step < 600; ++step) {
      const auto dice = random() % 12;
      if (dice < 5) {
        const std::uint64_t shape = random() % 12;
        under_way.emplace_back(begin(table, shape), shape);
      } else if (dice < 9 && !under_way.empty()) {
        complete(random() % under_way.size());
      } else if (dice < 11) {
        take();
      } else {
        now += std::chrono::seconds{random() % 5};
        static_cast<void>(table.evict_quiet(now, std::chrono::seconds{4}));
      }
    }
    while (!under_way.empty()) complete(0);
    while (table.has_counts()) take();
    std::uint64_t sent = 0;
    std::uint64_t counted = folded;
    for (const auto& [shape, count] : completed) {
      sent += count;
      counted += handed_over[shape];
      EXPECT_LE(handed_over[shape], count) << "nothing counts under another's key";
    }
    EXPECT_EQ(counted, sent) << "seed " << seed;
  }
}

shape_table::ticket begin_strangers(shape_table& table, std::uint64_t shape_hash) {
  return table.admit_strangers(tests::sample_finding(shape_hash));
}

std::map<std::uint64_t, shape_delta> taken_by_hash(shape_table& table) {
  std::map<std::uint64_t, shape_delta> by_hash;
  for (shape_delta& delta : table.drain_counts(all)) {
    by_hash.emplace(delta.details->is_shared() ? 0 : delta.details->shape_hash, delta);
  }
  return by_hash;
}

TEST(shape_table, strangers_findings_have_places_of_their_own) {
  stranger_places places;
  shape_table one{1, tests::plenty(), &places};
  shape_table other{1, tests::plenty(), &places};
  const std::uint64_t too_many = stranger_places::most + 1;
  for (std::uint64_t shape = 1; shape <= too_many; ++shape) {
    shape_table& table = shape % 2 == 0 ? one : other;
    (void)table.complete(begin_strangers(table, shape), took(milliseconds{1}), yorkie, true);
  }
  auto counted = taken_by_hash(one);
  counted.merge(taken_by_hash(other));
  EXPECT_EQ(counted.size(), too_many) << "one of them is the shared one";
  EXPECT_EQ(counted.at(0).count, 1U);
  EXPECT_EQ(counted.at(1).who.all().size(), 1U);
  // They take no place of a known client's.
  count_one(one, 5'000);
  EXPECT_EQ(taken_by_hash(one).count(5'000), 1U);
}

TEST(shape_table, a_strangers_place_becomes_a_known_clients) {
  stranger_places places;
  shape_table table{1, tests::plenty(), &places};
  for (std::uint64_t shape = 1; shape <= stranger_places::most; ++shape) {
    (void)table.complete(begin_strangers(table, shape), took(milliseconds{1}), yorkie, true);
  }
  const shape_table::ticket known = begin(table, 7);
  table.make_ordinary(known);
  (void)table.complete(known, took(milliseconds{1}), yorkie);
  (void)table.complete(begin_strangers(table, 1'000), took(milliseconds{1}), yorkie, true);
  const auto counted = taken_by_hash(table);
  EXPECT_EQ(counted.at(7).count, 2U);
  EXPECT_EQ(counted.count(1'000), 1U) << "its place is free for another";
  EXPECT_EQ(counted.count(0), 0U);
}

TEST(shape_table, a_stranger_gets_no_callers_place_in_a_known_clients_finding) {
  stranger_places places;
  shape_table table{1, tests::plenty(), &places};
  count_one(table, 1);
  const caller_view stranger{"evil", "", "", "10.9.9.9:1", ""};
  (void)table.complete(begin_strangers(table, 1), took(milliseconds{1}), stranger, true);
  const auto counted = taken_by_hash(table);
  EXPECT_EQ(counted.at(1).count, 2U);
  EXPECT_EQ(counted.at(1).who.all().size(), 1U);
  EXPECT_EQ(counted.at(1).who.others(), 1U);
}

TEST(shape_table, strangers_places_come_back_when_quiet_and_at_the_end) {
  stranger_places places;
  const auto now = shape_table::clock::now();
  for (int round = 0; round < 3; ++round) {
    shape_table table{1, tests::plenty(), &places};
    for (std::uint64_t shape = 1; shape <= stranger_places::most; ++shape) {
      (void)table.complete(begin_strangers(table, shape), took(milliseconds{1}), yorkie, true);
    }
    EXPECT_FALSE(places.try_reserve());
    (void)table.drain_counts(all);
    if (round != 0) continue;
    EXPECT_EQ(table.evict_quiet(now + std::chrono::hours{1}, std::chrono::minutes{1}), 0U);
    EXPECT_EQ(table.evict_quiet(now + std::chrono::hours{2}, std::chrono::minutes{1}),
              stranger_places::most);
  }
  EXPECT_TRUE(places.try_reserve());
}

TEST(shape_table, loses_no_count_where_memory_fails_a_hand_over) {
  bool has_struck = true;
  for (std::size_t granted = 0; has_struck; ++granted) {
    shape_table table{10, tests::plenty()};
    const auto count_all = [&] {
      for (std::uint64_t shape = 1; shape <= 3; ++shape) {
        (void)count_one(table, shape);
        (void)count_one(table, shape, {"other", "go", "app", "10.0.0.2:1", ""});
      }
    };
    count_all();
    std::vector<shape_delta> taken;
    {
      const scattergate::tests::allocation_failure failure{granted};
      try {
        taken = table.drain_counts(all);
      } catch (const std::bad_alloc&) {
        taken.clear();
      }
      has_struck = failure.has_struck();
    }
    count_all();
    std::map<std::uint64_t, std::uint64_t> sums;
    std::map<std::uint64_t, std::uint64_t> timed;
    std::map<std::uint64_t, std::uint64_t> sent;
    const auto add_up = [&](const std::vector<shape_delta>& deltas) {
      for (const shape_delta& one : deltas) {
        sums[one.details->shape_hash] += one.count;
        timed[one.details->shape_hash] += one.times.count();
        sent[one.details->shape_hash] += callers_sum(one);
        EXPECT_NE(one.count, 0U);
      }
    };
    add_up(taken);
    while (table.has_counts()) add_up(table.drain_counts(2));
    const std::map<std::uint64_t, std::uint64_t> expected{{1, 4}, {2, 4}, {3, 4}};
    EXPECT_EQ(sums, expected) << granted;
    EXPECT_EQ(timed, expected) << granted;
    EXPECT_EQ(sent, expected) << granted;
  }
}

}  // namespace
}  // namespace scattergate::telemetry
