// A session_fsm whose requests wait for the live catalog, and what is counted while the catalog
// is outdated.

#include "tests/proxy/fixture.hpp"

namespace scattergate::proxy {
namespace {

using namespace std::chrono_literals;
using verb = step::verb;

constexpr std::string_view shard_lines =
    R"({"shardCollection":"app.lines","key":{"tenant":1},"$db":"admin"})";
constexpr std::string_view find_lines = R"({"find":"lines","filter":{"x":1},"$db":"app"})";

class catalog_wait : public fsm_fixture {
 protected:
  catalog_wait() { follow(true); }

  /// Applies settings with a live catalog: small_catalog(), and with app.lines if `has_lines`.
  void follow(bool waits, bool has_lines = false, std::vector<config::rule> rules = {}) {
    routing::catalog_builder builder;
    for (const char* name : {"items", "lines"}) {
      if (name == std::string_view{"lines"} && !has_lines) continue;
      routing::collection entry;
      entry.database = "app";
      entry.name = name;
      entry.key = {{"tenant", false}};
      EXPECT_FALSE(builder.add(std::move(entry)));
      EXPECT_FALSE(builder.finish_collection());
    }
    auto made = std::make_shared<settings>();
    made->catalog = builder.build();
    made->notes = notes;
    made->waits_for_catalog = waits;
    made->rules = policy(std::move(rules));
    inspector.apply_settings(std::move(made));
  }
  /// The live catalog's next read begins and ends.
  void read_catalog() {
    config::refresh_pacer idle{1h, clock::now(), 1};
    idle.ended(config::load_trigger::start, config::load_result::changed, clock::now() - 1s,
               0s);
    inspector.hints().note_read(notes->await(idle).number);
  }
  /// A command, forwarded at once, and its reply.
  void run(std::int32_t id, std::string_view json, std::string_view answer = R"({"ok":1})") {
    expect_step(next_of(fsm, request(id, json)), verb::forward, request(id, json).size());
    expect_step(fsm.next_reply(reply(id, answer), now), verb::forward,
                reply(id, answer).size());
  }
  double finds(const char* collection, const char* routing) {
    return metric(
        "scattergate_commands_total",
        {{"db", "app"}, {"collection", collection}, {"command", "find"}, {"routing", routing}});
  }
  double outdated() { return metric("scattergate_outdated_verdicts_total"); }

  std::shared_ptr<config::catalog_notes> notes = std::make_shared<config::catalog_notes>();
};

TEST_F(catalog_wait, a_request_is_judged_by_what_is_read_after_its_arrival) {
  const bytes find = request(1, find_lines);
  EXPECT_EQ(next_of(fsm, find).what, verb::hold);
  EXPECT_FALSE(fsm.may_request());
  EXPECT_FALSE(fsm.is_held()) << "a client that has closed its side isn't gone";
  EXPECT_EQ(fsm.next_request(find, now).what, verb::wait);
  EXPECT_EQ(fsm.held_until(now), now + 10s);
  follow(true, true);  // read, but before the request has arrived
  EXPECT_EQ(fsm.held_until(now), now + 10s);
  read_catalog();
  EXPECT_EQ(fsm.held_until(now), std::nullopt);
  expect_step(fsm.on_held(find, now), verb::forward, find.size());
  static_cast<void>(fsm.next_reply(reply(1), now));
  EXPECT_EQ(finds("lines", "scatter_gather"), 1);
  EXPECT_EQ(outdated(), 0);
  EXPECT_EQ(next_of(fsm, request(2, find_lines)).what, verb::hold) << "as each request";
}

TEST_F(catalog_wait, what_does_not_depend_on_the_catalog_goes_on_at_once) {
  run(1, R"({"ping":1,"$db":"admin"})");
  run(2, R"({"hello":1,"$db":"admin"})");
  run(3, shard_lines);
  EXPECT_EQ(next_of(fsm, request(4, R"({"explain":{"find":"lines"},"$db":"app"})")).what,
            verb::hold);
}

TEST_F(catalog_wait, earlier_requests_are_answered_before_the_read_begins) {
  const bytes ddl = request(1, shard_lines);
  const bytes find = request(2, find_lines);
  expect_step(next_of(fsm, ddl + find), verb::forward, ddl.size());
  EXPECT_EQ(next_of(fsm, find).what, verb::wait);
  EXPECT_FALSE(fsm.may_request());
  notes->force();
  read_catalog();
  static_cast<void>(fsm.next_reply(reply(1), now));
  EXPECT_TRUE(fsm.may_request());
  EXPECT_EQ(next_of(fsm, find).what, verb::hold);
  EXPECT_NE(fsm.held_until(now), std::nullopt) << "the read was too early";
  read_catalog();
  EXPECT_EQ(fsm.held_until(now), std::nullopt);
}

TEST_F(catalog_wait, a_wait_in_vain_ends_and_is_counted) {
  const bytes find = request(1, find_lines);
  EXPECT_EQ(next_of(fsm, find).what, verb::hold);
  now += 10s;
  EXPECT_EQ(fsm.held_until(now), std::nullopt);
  expect_step(fsm.on_held(find, now), verb::forward, find.size());
  static_cast<void>(fsm.next_reply(reply(1), now));
  run(2, find_lines);  // doesn't wait again
  EXPECT_EQ(finds("lines", "unknown"), 2);
  EXPECT_EQ(outdated(), 2);
  read_catalog();
  EXPECT_EQ(next_of(fsm, request(3, find_lines)).what, verb::hold);
}

TEST_F(catalog_wait, the_daemon_waits_never_and_counts_what_it_cannot_know) {
  follow(false);
  run(1, find_lines);
  run(2, find_lines);  // by the memo
  run(3, shard_lines);
  for (int id = 4; id < 8; ++id) run(id, find_lines);
  EXPECT_EQ(finds("lines", "unsharded"), 2);
  EXPECT_EQ(finds("lines", "unknown"), 4);
  EXPECT_EQ(outdated(), 4);
  follow(false, true);
  read_catalog();
  for (int id = 8; id < 11; ++id) run(id, find_lines);
  EXPECT_EQ(finds("lines", "scatter_gather"), 3);
  EXPECT_EQ(outdated(), 4);
}

TEST_F(catalog_wait, a_command_that_cannot_have_changed_anything_is_ignored) {
  follow(false);
  run(1, find_lines);
  run(2, shard_lines, R"({"ok":0,"code":13})");
  run(3, find_lines);
  EXPECT_EQ(outdated(), 0);
  run(4, shard_lines, R"({"ok":0,"code":50})");  // MaxTimeMSExpired: it may go on
  run(5, find_lines);
  EXPECT_EQ(outdated(), 1);
}

TEST_F(catalog_wait, rules_use_the_catalog_that_there_is) {
  follow(false, false, {reject_items()});
  run(1, targeted_find);
  run(2, R"({"reshardCollection":"app.items","key":{"x":1},"$db":"admin"})");
  run(3, targeted_find);
  EXPECT_EQ(finds("items", "unknown"), 1);
  expect_step(next_of(fsm, request(4, scattered_find)), verb::drop,
              request(4, scattered_find).size());
}

TEST_F(catalog_wait, a_catalog_file_is_never_outdated) {
  use({});
  run(1, R"({"shardCollection":"app.items","key":{"tenant":1},"$db":"admin"})");
  run(2, targeted_find);
  EXPECT_EQ(finds("items", "single_shard"), 1);
  EXPECT_EQ(outdated(), 0);
}

}  // namespace
}  // namespace scattergate::proxy
