#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <prometheus/metric_family.h>

#include "proxy/flow_buffer.hpp"  // before `bytes`, as some of its parameters are called
#include "proxy/session/session_fsm.hpp"
#include "proxy/throttle/throttle.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "tests/support/family_set.hpp"
#include "tests/support/inspector_parts.hpp"
#include "tests/support/json_document.hpp"
#include "wire/header.hpp"

/// Shared by the tests of proxy/: messages, a catalog, and an inspector with its parts.
namespace scattergate::proxy {

using bytes = std::vector<std::byte>;

/// Appends `size` bytes at `data`.
inline void append(bytes& to, const void* data, std::size_t size) {
  const auto* from = static_cast<const std::byte*>(data);
  to.insert(to.end(), from, from + size);
}

/// An OP_MSG with one kind-0 section. `json`: the body as Extended JSON.
inline bytes op_msg(std::int32_t id, std::int32_t response_to, std::string_view json,
                    std::uint32_t flags = 0) {
  const tests::json_document document{json};
  const auto body = document.view().bytes();
  bytes message(wire::limits::header_bytes);
  message.reserve(message.size() + sizeof flags + 1 + body.size());
  append(message, &flags, sizeof flags);
  message.push_back(std::byte{0});
  append(message, body.data(), body.size());
  wire::serialize_header(
      {static_cast<std::int32_t>(message.size()), id, response_to, wire::opcode::msg},
      std::span<std::byte, wire::limits::header_bytes>{message.data(),
                                                       wire::limits::header_bytes});
  return message;
}

/// A request with this requestID.
inline bytes request(std::int32_t id, std::string_view json, std::uint32_t flags = 0) {
  return op_msg(id, 0, json, flags);
}
/// A reply to the request with the id `response_to`.
inline bytes reply(std::int32_t response_to, std::string_view json = R"({"ok":1})",
                   std::uint32_t flags = 0, std::int32_t id = 1000) {
  return op_msg(id, response_to, json, flags);
}

/// Concatenates both.
inline bytes operator+(bytes left, const bytes& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// A catalog with one collection: app.items, sharded by {<key>: 1}, without chunks.
inline std::shared_ptr<const routing::catalog> small_catalog(const char* key = "tenant") {
  routing::catalog_builder builder;
  routing::collection items;
  items.database = "app";
  items.name = "items";
  items.key = {{key, false}};
  EXPECT_FALSE(builder.add(std::move(items)));
  EXPECT_FALSE(builder.finish_collection());
  return builder.build();
}

/// Finds on app.items of small_catalog(): the first goes to one shard, the second to all
/// shards.
inline constexpr std::string_view targeted_find =
    R"({"find":"items","filter":{"tenant":1},"$db":"app"})";
inline constexpr std::string_view scattered_find =
    R"({"find":"items","filter":{"x":1},"$db":"app"})";

/// A rule that rejects commands on app.items that go to all shards.
inline config::rule reject_items() {
  config::rule rule;
  rule.name = "no-scatter";
  rule.match.name_space = "app.items";
  rule.match.routing = routing::routing_class::scatter_gather;
  rule.action = config::rule_action::reject;
  return rule;
}

/// A test with a session_fsm (the state machine of a client's connection) and everything that
/// it uses, without sockets.
class fsm_fixture : public testing::Test, protected tests::inspector_parts {
 protected:
  fsm_fixture() { use({}); }
  explicit fsm_fixture(const config::verify_options& verify) : inspector_parts(verify) {
    use({});
  }

  /// Applies settings with these rules and small_catalog(). `inspect`: whether to judge
  /// commands. `reject_uninspected`: whether to reject messages that can't be judged.
  void use(std::vector<config::rule> rules, bool inspect = true,
           bool reject_uninspected = false) {
    auto changed = std::make_shared<settings>();
    changed->catalog = small_catalog();
    label_all(*changed->catalog);
    changed->rules = policy(std::move(rules));
    changed->throttles = throttles.renew(changed->rules.all(), now);
    changed->inspect = inspect;
    changed->reject_uninspected = reject_uninspected;
    inspector.apply_settings(std::move(changed));
  }

  /// The current value of a counter or gauge of /metrics; 0 if there is none. `family`: the
  /// metric's name. `labels`: all labels of the series.
  [[nodiscard]] double metric(
      std::string_view family,
      const std::vector<std::pair<std::string, std::string>>& labels = {});

  /// The next step of `of` for `unread`, the client's bytes. If the step is `await`, completes
  /// the long work and returns the step after it.
  step next_of(session_fsm& of, std::span<const std::byte> unread) {
    step next = of.next_request(unread, now);
    while (next.what == step::verb::await) {
      while (!of.awaited().advance(lent)) {
      }
      next = of.on_awaited(unread, now);
    }
    return next;
  }

  throttle_register throttles;
  clock::time_point now{};
  judging_memory lent;
  telemetry::memory_share share{memory};
  client_identity client{"10.0.0.7"};
  cursor_table cursors;
  session_fsm fsm{inspector, {client, cursors, share}};
};

inline double fsm_fixture::metric(
    std::string_view family, const std::vector<std::pair<std::string, std::string>>& labels) {
  for (const auto& found : scattergate::tests::families_of(collector)) {
    if (found.name != family) continue;
    for (const auto& series : found.metric) {
      std::size_t matched = 0;
      for (const auto& label : series.label) {
        for (const auto& [name, value] : labels)
          matched += label.name == name && label.value == value;
      }
      if (matched == labels.size() && series.label.size() == labels.size()) {
        return found.type == prometheus::MetricType::Gauge ? series.gauge.value
                                                           : series.counter.value;
      }
    }
  }
  return 0;
}

/// Prints a step's name in failure messages.
inline std::ostream& operator<<(std::ostream& out, step::verb what) {
  constexpr const char* names[] = {"need", "forward", "drop", "inject",
                                   "wait", "await",   "hold", "close"};
  return out << names[static_cast<int>(what)];
}

/// Expects a step of this kind and number of bytes.
inline void expect_step(const step& got, step::verb what, std::size_t size) {
  EXPECT_EQ(got.what, what);
  EXPECT_EQ(got.bytes, size);
}

}  // namespace scattergate::proxy
