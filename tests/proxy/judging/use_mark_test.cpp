// The collections that a live catalog learns are in use, and those that get labels by that.

#include <map>
#include <string>

#include "tests/proxy/fixture.hpp"
#include "tests/support/family_set.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::proxy {
namespace {

class use_mark_test : public fsm_fixture {
 protected:
  use_mark_test() { follow(); }

  /// app.items and app.lines, sharded on {tenant: 1}, as a live catalog lists them: the marks
  /// stay when it is replaced.
  void follow(std::vector<config::rule> rules = {}) {
    routing::catalog_builder builder;
    for (const char* name : {"items", "lines"}) {
      auto& mark = marks[name];
      if (mark == nullptr) mark = std::make_shared<routing::use_mark>();
      routing::collection entry;
      entry.database = "app";
      entry.name = name;
      entry.key = {{"tenant", false}};
      entry.use = mark;
      EXPECT_FALSE(builder.add(std::move(entry)));
      EXPECT_FALSE(builder.finish_collection());
    }
    auto made = std::make_shared<settings>();
    made->catalog = builder.build();
    made->rules = policy(std::move(rules));
    inspector.apply_settings(std::move(made));
  }

  void run(const std::string& command, std::string_view answer = R"({"ok":1})",
           std::uint32_t flags = 0) {
    const bytes asked = request(++last_id, command, flags);
    EXPECT_EQ(next_of(fsm, asked).what, step::verb::forward);
    if ((flags & wire::msg_flag::more_to_come) != 0) return;
    const bytes replied = reply(last_id, answer);
    static_cast<void>(fsm.next_reply(replied, now));
  }
  [[nodiscard]] bool is_used(const char* name) { return marks[name]->test_and_clear(); }
  [[nodiscard]] bool has_label(const char* name) {
    return metrics.known("app", name).has_value();
  }

  std::map<std::string, std::shared_ptr<routing::use_mark>> marks;
  std::int32_t last_id = 0;
};

TEST_F(use_mark_test, every_command_on_a_listed_collection_sets_its_mark) {
  const std::string find = R"({"find":"items","filter":{"tenant":1},"$db":"app"})";
  for (int i = 0; i < 5; ++i) {  // judged, then remembered
    run(find);
    EXPECT_TRUE(is_used("items")) << i;
    EXPECT_FALSE(is_used("items")) << i;
  }
  EXPECT_FALSE(is_used("lines"));
}

TEST_F(use_mark_test, a_mark_outlives_the_catalog) {
  const std::string find = R"({"find":"items","filter":{"tenant":1},"$db":"app"})";
  for (int i = 0; i < 3; ++i) run(find);
  EXPECT_TRUE(is_used("items"));
  follow();
  run(find);
  EXPECT_TRUE(is_used("items"));
}

TEST_F(use_mark_test, a_collection_without_a_label_has_a_mark_as_well) {
  for (int i = 0; i < 20; ++i) {  // all that the collector has room for
    static_cast<void>(metrics.admit("other", "c" + std::to_string(i)));
  }
  ASSERT_TRUE(has_label("items"));  // the fixture's
  run(R"({"find":"lines","filter":{"tenant":1},"$db":"app"})");
  EXPECT_FALSE(has_label("lines"));
  EXPECT_TRUE(is_used("lines"));
}

TEST_F(use_mark_test, a_joined_collection_is_used) {
  run(R"({"aggregate":"items","pipeline":[{"$match":{"tenant":1}},{"$lookup":{"from":"lines",)"
      R"("localField":"a","foreignField":"b","as":"c"}}],"cursor":{},"$db":"app"})");
  EXPECT_TRUE(is_used("items"));
  EXPECT_TRUE(is_used("lines"));
}

TEST_F(use_mark_test, what_the_catalog_does_not_list_leaves_no_trace) {
  for (int i = 0; i < 100; ++i) {
    run(R"({"find":"made-up-)" + std::to_string(i) + R"(","$db":"app"})",
        R"({"ok":0,"code":26})");
  }
  EXPECT_FALSE(is_used("items"));
  EXPECT_FALSE(is_used("lines"));
  EXPECT_TRUE(has_label("items"));  // the fixture's
  for (int i = 0; i < 100; ++i)
    EXPECT_FALSE(has_label(("made-up-" + std::to_string(i)).c_str()));
}

TEST_F(use_mark_test, a_listed_collection_has_a_label_for_strangers_too) {
  EXPECT_FALSE(has_label("lines"));
  run(R"({"find":"lines","filter":{"tenant":1},"$db":"app"})", R"({"ok":0,"code":13})");
  run(R"({"find":"plain","filter":{"tenant":1},"$db":"app"})", R"({"ok":0,"code":13})");
  EXPECT_TRUE(has_label("lines"));
  EXPECT_FALSE(has_label("plain"));
}

TEST_F(use_mark_test, a_listed_collection_that_is_only_written_to_without_replies_has_a_label) {
  const std::string insert = R"({"insert":"lines","documents":[{"tenant":1}],"$db":"app"})";
  const std::string unlisted = R"({"insert":"plain","documents":[{"tenant":1}],"$db":"app"})";
  run(R"({"find":"items","filter":{"tenant":1},"$db":"app"})");
  EXPECT_FALSE(has_label("lines"));
  run(insert, {}, wire::msg_flag::more_to_come);
  run(unlisted, {}, wire::msg_flag::more_to_come);
  EXPECT_TRUE(has_label("lines"));
  EXPECT_FALSE(has_label("plain"));
}

TEST_F(use_mark_test, a_finding_elsewhere_gives_a_label_there) {
  config::rule accept;
  accept.name = "items";
  accept.match.name_space = "app.items";
  accept.action = config::rule_action::accept;
  follow({accept});  // stricter is what happens to lines by default
  run(R"({"aggregate":"items","pipeline":[{"$match":{"tenant":1}},{"$lookup":{"from":"lines",)"
      R"("localField":"a","foreignField":"b","as":"c"}}],"cursor":{},"$db":"app"})");
  ASSERT_TRUE(has_label("lines"));
  double found = 0;
  for (const auto& family : scattergate::tests::families_of(collector)) {
    if (family.name != "scattergate_findings_total") continue;
    for (const auto& series : family.metric) {
      EXPECT_EQ(series.label[1].value, "lines");
      found += series.counter.value;
    }
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace scattergate::proxy
