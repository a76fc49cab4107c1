#include "telemetry/tap/live_tap.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/allocation_counter.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using enum routing::routing_class;

const tap_interest everything = [] {
  tap_interest all;
  for (std::size_t i = 0; i < routing::routing_class_count; ++i) {
    const auto each = static_cast<routing::routing_class>(i);
    all = all | tap_interest::in(each, true) | tap_interest::in(each, false);
  }
  return all;
}();

tapped_command sample() {
  tapped_command made;
  made.details = std::make_shared<const shape_details>(tests::sample_finding());
  made.routing = scatter_gather;
  made.action = finding_action::observed;
  made.set_app("yorkie");
  return made;
}

TEST(live_tap, has_no_listener_by_default) {
  live_tap tap;
  tap.allow(true);
  EXPECT_FALSE(tap.has_listener_for(scatter_gather, true));
  tap.listen(everything);
  EXPECT_TRUE(tap.has_listener_for(scatter_gather, true));
  EXPECT_TRUE(tap.has_listener_for(not_routed, false));
  tap.end();
  EXPECT_FALSE(tap.has_listener_for(scatter_gather, true));
  EXPECT_FALSE(tap.admit(scatter_gather, true));
}

TEST(live_tap, has_listeners_for_the_requested_classes) {
  live_tap tap;
  tap.listen(tap_interest::in(scatter_gather, true) | tap_interest::in(single_shard, false));
  EXPECT_TRUE(tap.has_listener_for(scatter_gather, true));
  EXPECT_FALSE(tap.has_listener_for(scatter_gather, false));
  EXPECT_TRUE(tap.has_listener_for(single_shard, false));
  EXPECT_FALSE(tap.has_listener_for(multi_shard, true));
}

TEST(live_tap, gives_what_was_left_once_and_in_its_order) {
  live_tap tap;
  tap.listen(everything);
  for (std::uint64_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(tap.admit(scatter_gather, true));
    tapped_command one = sample();
    one.shape_hash = i;
    tap.push(std::move(one));
  }
  std::vector<tapped_command> taken;
  tap.drain_into(taken);
  ASSERT_EQ(taken.size(), 3U);
  EXPECT_EQ(taken[2].shape_hash, 2U);
  EXPECT_EQ(taken[0].name_space(), "yorkie-meta.clients");
  EXPECT_EQ(taken[0].app(), "yorkie");
  tap.drain_into(taken);
  EXPECT_TRUE(taken.empty());
  EXPECT_EQ(tap.dropped(), 0U);
}

TEST(live_tap, lets_in_what_fits_and_counts_the_rest) {
  live_tap tap;
  tap.listen(everything);
  std::size_t admitted = 0;
  for (std::size_t i = 0; i < 3 * live_tap::capacity; ++i) {
    if (!tap.admit(scatter_gather, false)) continue;
    ++admitted;
    tap.push(sample());
  }
  EXPECT_EQ(admitted, live_tap::capacity);
  EXPECT_EQ(tap.dropped(), 2 * live_tap::capacity);
  std::vector<tapped_command> taken;
  tap.drain_into(taken);
  EXPECT_EQ(taken.size(), live_tap::capacity);
  EXPECT_FALSE(tap.admit(scatter_gather, false));
  tap.grant(1);
  EXPECT_TRUE(tap.admit(scatter_gather, false));
  EXPECT_FALSE(tap.admit(scatter_gather, false));
}

TEST(live_tap, keeps_room_for_findings_and_scatters) {
  live_tap tap;
  tap.listen(everything);
  std::size_t ordinary = 0;
  while (tap.admit(single_shard, false)) ++ordinary;
  EXPECT_EQ(ordinary, live_tap::capacity - live_tap::kept_for_rare);
  std::size_t rare = 0;
  while (tap.admit(rare % 2 == 0 ? scatter_gather : multi_shard, rare % 2 != 0)) ++rare;
  EXPECT_EQ(rare, live_tap::kept_for_rare);
}

TEST(live_tap, takes_nothing_from_the_heap_on_the_way_of_a_command) {
  live_tap tap;
  tap.listen(everything);
  const tapped_command one = sample();
  const scattergate::tests::allocation_counter counted;
  for (std::size_t i = 0; i < live_tap::capacity; ++i) {
    if (tap.has_listener_for(scatter_gather, true) && tap.admit(scatter_gather, true))
      tap.push(one);
  }
  EXPECT_EQ(counted.count(), 0U);
}

TEST(live_tap, what_is_left_after_the_end_is_counted_and_not_kept) {
  live_tap tap;
  tap.listen(everything);
  ASSERT_TRUE(tap.admit(scatter_gather, true));
  tap.end();
  tapped_command late = sample();
  const std::weak_ptr<const shape_details> details = late.details;
  const scattergate::tests::allocation_counter counted;
  tap.push(std::move(late));
  EXPECT_EQ(counted.count(), 0U);
  EXPECT_TRUE(details.expired());
  EXPECT_EQ(tap.dropped(), 1U);
}

/// Two workers push while a third thread takes: nothing is lost that isn't counted.
TEST(live_tap, counts_everything_that_several_threads_leave) {
  live_tap tap;
  tap.listen(everything);
  constexpr std::uint64_t each = 20'000;
  const auto push = [&] {
    const tapped_command one = sample();
    for (std::uint64_t i = 0; i < each; ++i) {
      if (tap.admit(scatter_gather, true)) tap.push(one);
    }
  };
  std::thread first{push};
  std::thread second{push};
  std::uint64_t seen = 0;
  std::vector<tapped_command> taken;
  const auto look = [&] {
    tap.drain_into(taken);
    tap.grant(live_tap::capacity);
    EXPECT_LE(taken.size(), live_tap::capacity);
    seen += taken.size();
  };
  for (int i = 0; i < 200; ++i) look();
  first.join();
  second.join();
  look();
  EXPECT_EQ(seen + tap.dropped(), 2 * each);
}

}  // namespace
}  // namespace scattergate::telemetry
