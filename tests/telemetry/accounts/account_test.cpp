#include "telemetry/accounts/account.hpp"

#include <future>
#include <limits>
#include <map>
#include <new>

#include <gtest/gtest.h>

#include "telemetry/audit/audit_log.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using scattergate::tests::allocation_failure;
using std::chrono::hours;
using std::chrono::milliseconds;

/// The counts that a sink received, by shape.
using sums = std::map<std::uint64_t, std::uint64_t>;

/// One that counts what it gets, and has no turns.
class counting_sink : public sink {
 public:
  bool accept(const shape_delta& delta) override {
    counted_[delta.details->shape_hash] += delta.count;
    return false;
  }
  outcome run_turn(bool) override { return {}; }

  /// After the account was closed.
  [[nodiscard]] const sums& counted() const { return counted_; }

 private:
  sums counted_;
};

digest::totals totals_of(const live_digest& digest) {
  digest::totals all;
  digest.read_table([&](const digest::table& table) { all = table.all(); });
  return all;
}

shape_delta timed_delta(std::uint64_t count, std::uint64_t shape, int caller) {
  shape_delta delta = tests::sample_delta(count, shape);
  delta.times.add(milliseconds{1 << (caller % 8)}, count);
  delta.who.add({"app" + std::to_string(caller), "go", "", "", "a comment", 1});
  delta.first_seen = delta.last_seen = std::chrono::system_clock::now();
  return delta;
}

/// Of everything that the account does: shapes that come again, with other callers and worse
/// routed, on collections that come first, accepted, counted together, and no findings.
std::vector<shape_delta> every_kind() {
  std::vector<shape_delta> all;
  for (int i = 0; i < 12; ++i) {
    shape_delta delta = timed_delta(static_cast<std::uint64_t>(i + 1), 1 + i % 4U, i);
    shape_details details = *delta.details;
    details.collection += std::to_string(i % 3);
    if (i < 4) details.what.routing = routing::routing_class::multi_shard;
    if (i % 4 == 1) details.action = finding_action::accepted;
    if (i % 4 == 3) details.action.reset();
    delta.details = std::make_shared<const shape_details>(details);
    delta.fanout = {7};
    all.push_back(std::move(delta));
  }
  for (const shape_scope each :
       {shape_scope::other, shape_scope::failed, shape_scope::rowless}) {
    all.push_back(timed_delta(5, 1, 1));
    all.back().details = shared_details(each);
  }
  return all;
}

/// The counts of a script, as far as they are the same each time.
struct came_of {
  std::uint64_t commands = 0;
  std::uint64_t on_collections = 0;
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> rows;
  std::map<std::pair<std::string, std::string>, std::int64_t> lines;  // by collection, hash
  std::int64_t in_lines = 0;
  std::uint64_t findings = 0;
  int new_shapes = 0;

  friend bool operator==(const came_of&, const came_of&) = default;
};

/// Makes allocations of the account's thread fail, from the first delta on to the last.
class saboteur : public sink {
 public:
  saboteur(std::size_t granted, int strikes, std::size_t deltas)
      : granted_(granted), strikes_(strikes), left_(deltas) {}

  bool accept(const shape_delta&) override {
    if (--left_ == 0) {
      has_struck_ = failure_->has_struck();
      failure_.reset();
    } else if (failure_ == nullptr) {
      failure_ = std::make_unique<allocation_failure>(granted_, strikes_);
    }
    return false;
  }
  outcome run_turn(bool) override { return {}; }
  [[nodiscard]] bool has_struck() const noexcept { return has_struck_; }

 private:
  std::size_t granted_;
  int strikes_;
  std::size_t left_;
  std::unique_ptr<allocation_failure> failure_;
  bool has_struck_ = false;
};

came_of run(const std::vector<shape_delta>& deltas, sink* first) {
  const tests::temporary_folder folder;
  came_of came;
  live_digest digest{100, tests::plenty()};
  audit_log audit{{.file = folder.file("audit"), .interval = hours{1}, .max_shapes = 100},
                  [&](std::string_view, std::string_view) { ++came.new_shapes; }};
  counting_sink counting;
  sink_thread of_first{first != nullptr ? *first : counting, {}};
  {
    account adding{digest, {&of_first, &audit.as_sink()}};
    adding.submit(deltas);
  }
  audit.close();
  EXPECT_EQ(audit.totals().outstanding, 0U);
  came.findings = audit.totals().commands;
  for (const auto& line : tests::read_json_lines(folder.file("audit"))) {
    const auto& param = line.at("param");
    const auto text = [&](const char* name) {
      return std::string{param.at(name).as_string().c_str()};
    };
    came.lines[{text("ns"), text("shapeHash")}] += param.at("count").as_int64();
    came.in_lines += param.at("count").as_int64();
  }
  digest.read_view([&](const live_digest::view& all) {
    came.commands = all.shapes.all().commands;
    for (const digest::row* row : all.shapes.ranked()) {
      came.rows[{row->collection, row->shape_hash}] = row->count;
    }
    came.on_collections = all.collections.all().counts.commands();
  });
  return came;
}

TEST(account, adds_each_delta_once_to_the_digest_and_to_each_sink) {
  live_digest digest{100, tests::plenty()};
  std::array<counting_sink, 2> sinks;
  sink_thread first{sinks[0], {}};
  sink_thread second{sinks[1], {}};
  account adding{digest, {&first, &second}};
  const auto submit_some = [&adding] {
    for (std::uint64_t i = 0; i < 500; ++i) {
      adding.submit({tests::sample_delta(2, i % 3), tests::sample_delta(1, 3)});
    }
  };
  std::thread other{submit_some};
  submit_some();
  other.join();
  adding.close();
  const sums expected{{0, 668}, {1, 668}, {2, 664}, {3, 1000}};
  EXPECT_EQ(sinks[0].counted(), expected);
  EXPECT_EQ(sinks[1].counted(), expected);
  EXPECT_EQ(totals_of(digest).commands, 3000U);
  EXPECT_TRUE(adding.has_room());
}

TEST(account, waits_until_everything_is_added) {
  live_digest digest{100, tests::plenty()};
  account adding{digest, {}};
  const auto never = std::chrono::steady_clock::time_point::max();
  EXPECT_TRUE(adding.wait_until_added(never));
  for (std::uint64_t i = 1; i <= 200; ++i) {
    adding.submit({tests::sample_delta(1, i % 3)});
    ASSERT_TRUE(adding.wait_until_added(never));
    ASSERT_EQ(totals_of(digest).commands, i);
  }
}

TEST(account, does_not_wait_longer_than_its_deadline) {
  class waiting_sink : public counting_sink {
   public:
    bool accept(const shape_delta&) override {
      until.wait();
      return false;
    }
    std::shared_future<void> until;
  };
  std::promise<void> let_go;
  waiting_sink waiting;
  waiting.until = let_go.get_future();
  live_digest digest{100, tests::plenty()};
  sink_thread of{waiting, {}};
  account adding{digest, {&of}};
  adding.submit({tests::sample_delta(1)});
  EXPECT_FALSE(adding.wait_until_added({}));
  let_go.set_value();
  EXPECT_TRUE(adding.wait_until_added(std::chrono::steady_clock::time_point::max()));
}

TEST(account, a_sink_that_blocks_holds_up_neither_the_digest_nor_another) {
  class blocking_sink : public counting_sink {
   public:
    bool accept(const shape_delta& delta) override {
      counting_sink::accept(delta);
      return true;
    }
    outcome run_turn(bool) override {
      is_blocked = true;
      until.wait();
      return {};
    }
    std::atomic<bool> is_blocked{false};
    std::shared_future<void> until;
  };
  const tests::temporary_folder folder;
  std::promise<void> end;
  live_digest digest{100, tests::plenty()};
  blocking_sink blocked;
  blocked.until = end.get_future().share();
  sink_thread of_blocked{blocked, {}};
  of_blocked.start();
  audit_log audit{{.file = folder.file("audit"), .interval = hours{1}}, {}};
  account adding{digest, {&of_blocked, &audit.as_sink()}};
  EXPECT_TRUE(tests::eventually([&] { return blocked.is_blocked.load(); }));
  for (std::uint64_t shape = 1; shape <= 300; ++shape) {
    adding.submit({tests::sample_delta(1, shape)});
  }
  EXPECT_TRUE(tests::eventually([&] { return audit.totals().lines == 300; }));
  adding.close();
  audit.close();
  EXPECT_EQ(totals_of(digest).commands, 300U);
  EXPECT_EQ(blocked.counted().size(), 300U);
  end.set_value();
}

TEST(account, a_sink_without_memory_loses_nothing_and_costs_no_one_else_anything) {
  class starved_sink : public counting_sink {
   public:
    bool accept(const shape_delta& delta) override {
      if (++tries_ % 3 != 0) throw std::bad_alloc{};
      return counting_sink::accept(delta);
    }

   private:
    int tries_ = 0;
  };
  starved_sink starved;
  const auto deltas = every_kind();
  EXPECT_EQ(run(deltas, &starved), run(deltas, nullptr));
  std::uint64_t all = 0;
  for (const shape_delta& each : deltas) all += each.count;
  std::uint64_t counted = 0;
  for (const auto& [shape, count] : starved.counted()) counted += count;
  EXPECT_EQ(counted, all);
}

/// The first delta arms the saboteur, which comes after the digest.
std::vector<shape_delta> sabotaged_kinds() {
  auto deltas = every_kind();
  deltas.insert(deltas.begin(), tests::sample_delta(1, 99));
  deltas.push_back(tests::sample_delta(1, 99));
  return deltas;
}

TEST(account, any_allocation_may_fail_and_nothing_is_lost_or_counted_twice) {
  const auto deltas = sabotaged_kinds();
  const came_of expected = run(deltas, nullptr);
  ASSERT_EQ(expected.rows.size(), 13U);
  ASSERT_GT(expected.lines.size(), 5U);
  std::size_t granted = 0;
  for (bool has_struck = true; has_struck; ++granted) {
    saboteur failing{granted, 1, deltas.size()};
    EXPECT_EQ(run(deltas, &failing), expected) << granted;
    has_struck = failing.has_struck();
  }
  EXPECT_GT(granted, 100U);
}

TEST(account, counts_everything_once_memory_is_back) {
  const auto deltas = sabotaged_kinds();
  const came_of expected = run(deltas, nullptr);
  for (const std::size_t granted : {0, 1, 2, 5, 10, 20, 40, 80}) {
    saboteur failing{granted, 20, deltas.size()};
    EXPECT_EQ(run(deltas, &failing), expected) << granted;
    EXPECT_TRUE(failing.has_struck());
  }
}

TEST(account, closes_without_memory) {
  const auto deltas = sabotaged_kinds();
  saboteur failing{0, std::numeric_limits<int>::max(), deltas.size()};
  EXPECT_LT(run(deltas, &failing).commands, run(deltas, nullptr).commands);
}

TEST(account, says_whose_rows_made_room) {
  class evicted_sink : public counting_sink {
   public:
    bool note_evicted(std::span<const std::uint64_t> shape_hashes) noexcept override {
      evicted += shape_hashes.size();
      return false;
    }
    std::size_t evicted = 0;
  };
  live_digest digest{8, tests::plenty()};
  evicted_sink noting;
  sink_thread of_noting{noting, {}};
  account adding{digest, {&of_noting}};
  for (std::uint64_t shape = 1; shape <= 20; ++shape) {
    adding.submit({tests::sample_delta(shape, shape)});
  }
  adding.close();
  EXPECT_EQ(noting.evicted, 12U);
}

}  // namespace
}  // namespace scattergate::telemetry
