#include "tests/support/guard.hpp"

#include <cstdlib>
#include <string>
#include <utility>

#include "config/text/extended_json.hpp"
#include "tests/support/inspect_whole.hpp"

namespace scattergate::tests {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

config::bson_bytes bound(const std::string& key, const std::string& value) {
  return config::bson_of_json("{\"" + key + "\": " + value + "}").value();
}

/// Chunks of ten values each from zero on, as many as there are shards.
void add_sharded(routing::catalog_builder& to, const std::string& name, const std::string& key,
                 int shards) {
  routing::collection entry;
  entry.database = "db";
  entry.name = name;
  entry.key = {{key, false}};
  require(!to.add(std::move(entry)));
  config::bson_bytes from = bound(key, R"({"$minKey": 1})");
  for (int i = 0; i < shards; ++i) {
    const std::string end = std::to_string(10 * i);
    config::bson_bytes until =
        bound(key, i + 1 == shards ? R"({"$maxKey": 1})" : R"({"$numberInt": ")" + end + "\"}");
    require(!to.add_chunk(from.view(), until.view(), std::to_string(i)));
    from = std::move(until);
  }
  require(!to.finish_collection());
}

}  // namespace

std::shared_ptr<const routing::catalog> orders_catalog() {
  routing::catalog_builder builder;
  add_sharded(builder, "orders", "tenant", orders_shards);
  add_sharded(builder, "lines", "line", 2);
  return builder.build();
}

guard::guard() {
  auto made = std::make_shared<proxy::settings>();
  made->catalog = orders_catalog();
  parts_.label_all(*made->catalog);
  config::rule rule;
  rule.name = "no-scatter";
  rule.match.name_space = "db.orders";
  rule.match.routing = routing::routing_class::scatter_gather;
  rule.action = config::rule_action::reject;
  made->rules = proxy::policy({rule});
  parts_.inspector.apply_settings(std::move(made));
}

bool guard::rejects(std::span<const std::byte> message) {
  const auto header = wire::parse_header(message.first<wire::limits::header_bytes>());
  require(header.has_value());
  const auto now = proxy::clock::time_point{};
  const proxy::inspected_connection connection{client_, cursors_, share_};
  const proxy::request_view request{*header, message, connection, now};
  auto inspected = inspect_whole(parts_.inspector, request, lent_);
  if (inspected.pending) {
    parts_.inspector.accounting().complete(*inspected.pending, {now, false, {}}, connection);
    parts_.inspector.accounting().give_back(std::move(inspected.pending));
  }
  return inspected.outcome == proxy::disposition::drop;
}

}  // namespace scattergate::tests
