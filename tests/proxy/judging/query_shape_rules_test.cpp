#include <random>

#include "routing/words/query_shape_hash.hpp"
#include "tests/proxy/fixture.hpp"

/// Rules that ask what MongoDB calls a shape.
namespace scattergate::proxy {
namespace {

using config::rule_action;

/// app.items by tenant, in a cluster of MongoDB 8.0.
std::shared_ptr<const routing::catalog> catalog_of_8_0() {
  routing::catalog_builder builder;
  builder.set_version({8, 0});
  routing::collection items;
  items.database = "app";
  items.name = "items";
  items.key = {{"tenant", false}};
  EXPECT_FALSE(builder.add(std::move(items)));
  EXPECT_FALSE(builder.finish_collection());
  return builder.build();
}

std::string find_of(const std::string& arguments) {
  return R"({"find":"items",)" + arguments + R"(,"$db":"app"})";
}

/// Finds at random, of few forms, so that many have the same hash and some none.
class random_finds {
 public:
  std::string next() {
    std::string filter = field("x");
    if (below(3) == 0) filter += "," + field("tenant");
    static constexpr const char* others[] = {"",
                                             "",
                                             R"(,"limit":)",
                                             R"(,"batchSize":)",
                                             R"(,"sort":{"x":1},"maxTimeMS":)",
                                             R"(,"collation":{"locale":"de"},"skip":)"};
    std::string more = others[below(std::size(others))];
    if (!more.empty()) more += std::to_string(below(3));
    return find_of(R"("filter":{)" + filter + "}" + more);
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  std::string field(const char* name) {
    static constexpr const char* operators[] = {"$gt", "$lte", "$in", "$ne"};
    const std::string head = "\"" + std::string{name} + "\":";
    if (below(2) == 0) return head + value();
    const std::string how = operators[below(std::size(operators))];
    return head + "{\"" + how + "\":" + (how == "$in" ? "[" + value() + "]" : value()) + "}";
  }
  std::string value() {
    const std::string number = std::to_string(below(100));
    switch (below(3)) {
      case 0:
        return number;
      case 1:
        return "\"" + number + "\"";
      default:
        return number + ".5";
    }
  }

  std::mt19937 random_{7};
};

class query_shape_rules : public fsm_fixture {
 protected:
  void use_on_8_0(std::vector<config::rule> rules) {
    auto changed = std::make_shared<settings>();
    changed->catalog = catalog;
    label_all(*changed->catalog);
    changed->rules = policy(std::move(rules));
    inspector.apply_settings(std::move(changed));
  }
  void use_for(rule_action action, std::vector<std::string> hashes) {
    config::rule rule;
    rule.name = "known";
    rule.action = action;
    rule.match.query_shapes = std::move(hashes);
    use_on_8_0({rule});
  }
  /// Whether the request is forwarded.
  bool passes(const std::string& json) {
    ++id_;
    const step next = fsm.next_request(request(id_, json), now);
    (void)fsm.next_reply(next.what == step::verb::drop ? bytes{} : reply(id_), now);
    return next.what != step::verb::drop;
  }
  [[nodiscard]] std::string hash_of(const std::string& json) const {
    const bytes message = request(1, json);
    const auto parsed = wire::parse_op_msg({}, message).value();
    return routing::query_shape_hash(wire::command_of(parsed).value(), *catalog);
  }
  double hits(const char* action) {
    return metric("scattergate_rule_hits_total", {{"rule", "known"}, {"action", action}});
  }

  std::shared_ptr<const routing::catalog> catalog = catalog_of_8_0();

 private:
  std::int32_t id_ = 0;
};

constexpr std::size_t sent = 3'000;

TEST_F(query_shape_rules, hit_the_finds_of_these_hashes_and_nothing_else) {
  random_finds finds;
  std::vector<std::string> hashes;
  while (hashes.size() < 4) {
    std::string hash = hash_of(finds.next());
    if (!hash.empty() && std::ranges::count(hashes, hash) == 0) {
      hashes.push_back(std::move(hash));
    }
  }
  for (const auto action : {rule_action::observe, rule_action::reject}) {
    use_for(action, hashes);
    double expected = 0;
    for (std::size_t i = 0; i < sent; ++i) {
      const std::string find = finds.next();
      const bool is_hit = std::ranges::count(hashes, hash_of(find)) != 0;
      expected += is_hit ? 1 : 0;
      ASSERT_EQ(passes(find), !is_hit || action == rule_action::observe) << find;
    }
    EXPECT_GT(expected, sent / 50);
    EXPECT_EQ(hits(action == rule_action::observe ? "observed" : "rejected"), expected);
  }
}

TEST_F(query_shape_rules, are_asked_in_vain_where_the_hash_is_not_certain) {
  const std::string known = find_of(R"("filter":{"x":1})");
  use_for(rule_action::reject, {hash_of(known)});
  EXPECT_FALSE(passes(known));
  for (const char* other :
       {R"("filter":{"x":{"$in":[1]}})", R"("filter":{"x":1},"limit":0)",
        R"("filter":{"x":1},"collation":{"locale":"de"})", R"("filter":{"x":"1"})"}) {
    EXPECT_TRUE(passes(find_of(other))) << other;
  }
  EXPECT_TRUE(passes(R"({"count":"items","query":{"x":1},"$db":"app"})"));
  EXPECT_TRUE(passes(R"({"explain":{"find":"items","filter":{"x":1}},"$db":"app"})"));
  use({config::rule{"known", {.query_shapes = {hash_of(known)}}, rule_action::reject, "", ""}});
  EXPECT_TRUE(passes(known)) << "by a catalog that doesn't say its version";
}

}  // namespace
}  // namespace scattergate::proxy
