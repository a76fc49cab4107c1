#include <gtest/gtest.h>

#include "telemetry/shapes/live_digest.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using routing::command_kind;
using routing::routing_class;
using std::chrono::minutes;

const digest::wall_time noon{std::chrono::hours{491'000}};

/// Commands of one shape, this long before noon.
struct sent {
  minutes before;
  std::optional<finding_action> action;
  routing_class routing = routing_class::scatter_gather;
  command_kind command = command_kind::find;
};

shape_delta delta_of(const sent& one, std::uint64_t hash) {
  shape_details details = tests::sample_finding(hash);
  details.what.routing = one.routing;
  details.action = one.action;
  details.command = one.command;
  shape_delta delta = tests::sample_delta(1, hash);
  delta.first_seen = delta.last_seen = noon - one.before;
  delta.details = std::make_shared<const shape_details>(std::move(details));
  return delta;
}

TEST(shape_kind, is_what_became_of_its_commands) {
  using enum finding_action;
  const struct {
    const char* kind;
    std::vector<sent> commands;
  } rows[] = {
      {"finding", {{minutes{1}, observed}}},
      {"finding", {{minutes{1}, rejected}}},
      {"finding", {{minutes{1}, accepted}, {minutes{1}, observed}}},
      {"finding", {{minutes{1}, would_reject}}},
      {"resolved", {{minutes{61}, observed}}},
      {"accepted", {{minutes{1}, accepted}}},
      {"accepted", {{minutes{61}, observed}, {minutes{1}, accepted}}},
      {"other", {{minutes{1}, {}, routing_class::single_shard}}},
      {"getMore", {{minutes{1}, {}, routing_class::scatter_gather, command_kind::get_more}}},
  };
  for (const auto& row : rows) {
    live_digest digest{10, tests::plenty(), std::chrono::hours{1}};
    std::vector<shape_delta> all;
    for (const sent& one : row.commands) all.push_back(delta_of(one, 1));
    tests::add_to(digest, all, noon);
    digest.read_view(
        [&](const live_digest::view& view) {
          EXPECT_EQ(label(kind_of(*view.shapes.ranked().at(0), view)), row.kind);
        },
        noon);
  }
}

TEST(shape_kind, of_what_can_be_no_finding_is_never_a_resolved_one) {
  for (const bool is_by_nature : {false, true}) {
    digest::table earlier{10};
    digest::row& row = earlier.row_of({"shop", "orders", "find", 1}).of;
    row.what.routing = routing_class::scatter_gather;
    row.what.shape_json = "{}";
    if (is_by_nature) row.what.why = routing::reason::by_nature;
    earlier.count(row, delta_of({minutes{61}, {}}, 1));
    live_digest digest{10, tests::plenty(), std::chrono::hours{1}};
    digest.add(earlier);
    digest.read_view(
        [&](const live_digest::view& view) {
          const digest::row& one = *view.shapes.ranked().at(0);
          EXPECT_EQ(kind_of(one, view),
                    is_by_nature ? shape_kind::other : shape_kind::resolved);
          EXPECT_EQ(is_resolved(one, nullptr, view.now, view.resolved_after), !is_by_nature);
        },
        noon);
  }
}

TEST(shape_kind, of_a_row_of_an_earlier_process_goes_by_its_routing) {
  digest::table earlier{10};
  auto& row = earlier.row_of(tests::sample_finding(1).row_key()).of;
  row.replace_if_worse(tests::sample_finding(1).what);
  earlier.count(row, delta_of({minutes{1}, {}}, 1));
  live_digest digest{10, tests::plenty(), std::chrono::hours{1}};
  digest.add(earlier);
  const auto kind_at = [&](minutes after) {
    shape_kind found{};
    digest.read_view(
        [&](const live_digest::view& all) { found = kind_of(*all.shapes.ranked().at(0), all); },
        noon + after);
    return found;
  };
  EXPECT_EQ(kind_at(minutes{0}), shape_kind::finding);
  EXPECT_EQ(kind_at(minutes{60}), shape_kind::resolved);
}

TEST(shown_order, has_refused_commands_first_and_is_by_cost_otherwise) {
  live_digest digest{10, tests::plenty()};
  shape_delta dear = delta_of({minutes{1}, finding_action::observed}, 1);
  dear.shards.add(9, 1);
  shape_delta cheap = delta_of({minutes{1}, finding_action::observed}, 2);
  cheap.shards.add(2, 1);
  tests::add_to(digest, {cheap, dear, delta_of({minutes{1}, finding_action::throttled}, 3),
                         delta_of({minutes{1}, finding_action::rejected}, 3)});
  digest.read_view([](const live_digest::view& all) {
    std::vector<std::uint64_t> order;
    for (const digest::row* each : in_shown_order(all)) order.push_back(each->shape_hash);
    EXPECT_EQ(order, (std::vector<std::uint64_t>{3, 1, 2}));
    EXPECT_EQ(refused_of(all.marks_of(*in_shown_order(all)[0])), 2U);
    EXPECT_EQ(refused_of(nullptr), 0U);
  });
}

}  // namespace
}  // namespace scattergate::telemetry
