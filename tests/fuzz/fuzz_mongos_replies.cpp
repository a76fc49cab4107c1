// A server on loopback, in a mongos's place, replies what the input holds to one of the clients
// that the daemon and the tools have: the live catalog, verify, the self-check, gate, and what
// writes a cluster's catalog as a file. No reply ends the process, what is kept of them is
// bounded, and no reply's text forges a line.
//
// The first byte says what the server does by itself, and whom it serves: 1: a good handshake
// comes first; 2: no login; 4, 8, 16: the client; 32: verify's output is JSON; 64: the first
// reply comes unasked. Then replies, as read_replies() reads them.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include "config/cluster/cluster_mirror.hpp"
#include "config/cluster/cluster_text.hpp"
#include "config/driver/driver_events.hpp"
#include "config/driver/mongo_client.hpp"
#include "config/driver/proxied_uri.hpp"
#include "config/text/extended_json.hpp"
#include "report/verify/self_check.hpp"
#include "report/views/verify_report.hpp"
#include "telemetry/log/log.hpp"
#include "tests/fuzz/hostile_mongos.hpp"
#include "tests/fuzz/judging.hpp"
#include "wire/label_table.hpp"

/// libmongoc sleeps for half a second before it connects again. Nothing here waits for
/// anything.
extern "C" int usleep(useconds_t) {
  return 0;
}

namespace {

using namespace scattergate;
using config::load_depth;
using config::mongo_client;
using fuzz::require;
using bytes = std::vector<std::byte>;

constexpr std::size_t catalog_bytes = 100'000;
constexpr const char* impatient =
    "serverSelectionTimeoutMS=100&connectTimeoutMS=100&socketTimeoutMS=100";

/// The catalog as the daemon and verify read it.
class followed_cluster {
 public:
  std::shared_ptr<const routing::catalog> load(mongo_client& from, load_depth depth) {
    config::load_hooks hooks;
    hooks.publish = [this](const std::shared_ptr<const routing::catalog>& made) {
      require(made->collections().size() < catalog_bytes / 100);
      last_ = made;
    };
    const auto outcome = mirror_.load(from, depth, hooks);
    require(outcome.detail.size() < wire::limits::max_document_bytes);
    return last_;
  }

 private:
  config::catalog_facts facts_;
  config::cluster_mirror mirror_{{.chunks = 100, .bytes = catalog_bytes}, facts_};
  std::shared_ptr<const routing::catalog> last_;
};

/// d.c is sharded on {k: 1}, below 10 on shard a, the rest on b; of d.n no chunks are known.
std::shared_ptr<const routing::catalog> make_known() {
  routing::catalog_builder builder;
  routing::collection entry;
  entry.database = "d";
  entry.name = "c";
  entry.key = {{"k", false}};
  require(!builder.add(entry));
  const auto low = config::bson_of_json(R"({"k": {"$minKey": 1}})").value();
  const auto middle = config::bson_of_json(R"({"k": 10})").value();
  const auto high = config::bson_of_json(R"({"k": {"$maxKey": 1}})").value();
  require(!builder.add_chunk(low.view(), middle.view(), "a"));
  require(!builder.add_chunk(middle.view(), high.view(), "b"));
  require(!builder.finish_collection());
  entry.name = "n";
  require(!builder.add(entry));
  require(!builder.finish_collection());
  return builder.build();
}

std::shared_ptr<const routing::catalog> known() {
  static const auto made = make_known();
  return made;
}

/// Every class, with and without chunks, and what mongos refuses.
constexpr std::array commands = {
    R"({"find": "c", "filter": {"k": 5}, "$db": "d"})",
    R"({"find": "c", "filter": {}, "$db": "d"})",
    R"({"find": "n", "filter": {"k": {"$gt": 5}}, "$db": "d"})",
    R"({"aggregate": "n", "pipeline": [{"$group": {"_id": "$x"}}], "$db": "d"})",
    R"({"update": "c", "updates": [{"q": {"x": 1}, "u": {"$set": {"y": 1}}}], "$db": "d"})",
    R"({"find": "u", "filter": {}, "$db": "d"})",
    R"({"find": "c", "filter": {"k": {"$nope": 1}}, "$db": "d"})",
};

wire::command command_numbered(std::size_t number) {
  static const auto bodies = [] {
    std::array<config::bson_bytes, commands.size()> made;
    std::ranges::transform(commands, made.begin(), [](std::string_view json) {
      return config::bson_of_json(json).value();
    });
    return made;
  }();
  return wire::command_of(bodies[number].view()).value();
}

/// Text of this number of lines, without terminal control sequences.
void check_lines(std::string_view text, std::ptrdiff_t lines) {
  require(std::ranges::count(text, '\n') == lines);
  require(std::ranges::none_of(
      text, [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; }));
}

void verify(mongo_client& mongos, bool as_json) {
  const auto server = mongos.connect();
  if (!server || !server->is_mongos) return;
  followed_cluster cluster;
  report::verifier by{mongos, known(),
                      [&] { return cluster.load(mongos, load_depth::thorough); }};
  report::verify_report shown{as_json};
  bool goes_on = true;
  for (std::size_t i = 0; i < commands.size() && goes_on; ++i) {
    for (const auto& what : report::explainables_of(command_numbered(i))) {
      const report::check done = by.check_one(what);
      const std::string text = shown.add("line 1", what, done);
      constexpr std::ptrdiff_t lines_of_trouble = 5;
      check_lines(text, as_json ? 1 : text.empty() ? 0 : lines_of_trouble);
      goes_on = goes_on && !done.trouble;
    }
  }
  static_cast<void>(shown.summary());
}

void check_itself(const std::string& uri) {
  using client_result = config::mongo_result<std::unique_ptr<config::mongo_reader>>;
  const auto queue = std::make_shared<telemetry::check_queue>(std::chrono::milliseconds{1});
  report::self_check::parts parts;
  parts.queue = queue;
  parts.catalog = known;
  parts.open = [uri](const std::stop_token&) -> client_result {
    auto opened = mongo_client::open(uri, {"fuzz"});
    if (!opened) return opened.error();
    return client_result{std::unique_ptr<config::mongo_reader>{std::move(*opened)}};
  };
  const report::self_check checking{std::move(parts)};
  queue->offer(command_numbered(0));
  const telemetry::check_facts& facts = queue->facts();
  while (facts.agreed + facts.disagreed + facts.failed == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds{50});
  }
}

/// As app/gate/gate_targets.cpp asks what an upstream is, and its proxy what is sharded there.
void ask_as_gate(std::uint16_t port) {
  const std::string uri = config::proxied_uri{}.asking({"127.0.0.1", port, {}});
  const auto client = mongo_client::open(uri + "&" + impatient, {"fuzz"});
  require(client.has_value());
  const auto server = (*client)->connect();
  require(server ? !server->type.empty() : !server.error().text.empty());
  if (!server || !server->is_mongos) return;
  const auto reader = mongo_client::open(uri + "&" + impatient, {"fuzz"});
  require(reader.has_value());
  followed_cluster{}.load(**reader, load_depth::everything);
}

/// As the live catalog does, and one explain.
void follow(mongo_client& mongos) {
  followed_cluster{}.load(mongos, load_depth::everything);
  static const bytes explain =
      config::bson_of_json(R"({"explain": {"find": "c"}, "verbosity": "queryPlanner"})")
          .value()
          .bytes;
  static_cast<void>(mongos.run("db", wire::document_view::from(explain).value()));
}

enum class asker : std::uint8_t { catalog, verify, self_check, gate, text };

void ask(asker who, const std::string& uri, std::uint16_t port, bool as_json) {
  if (who == asker::gate) return ask_as_gate(port);
  if (who == asker::self_check) return check_itself(uri);
  const auto client = mongo_client::open(uri, {"fuzz"});
  require(client.has_value());
  if (who == asker::verify) return verify(**client, as_json);
  if (who == asker::catalog) return follow(**client);
  const auto text = config::cluster_text(**client);
  require(text || !text.error().text.empty());
}

fuzz::hostile_mongos& start() {
  telemetry::log::open("/dev/null", "debug").value();
  return *new fuzz::hostile_mongos;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (const auto served = config::serve_driver_if_asked(*argc, *argv)) ::_exit(*served);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::hostile_mongos& there = start();
  if (size == 0) return 0;
  config::end_driver_rests();
  const std::uint8_t flags = *data;
  const auto is_set = [flags](unsigned bit) { return (flags & bit) != 0; };
  there.play({.greets = is_set(1),
              .speaks_first = is_set(64),
              .replies = fuzz::read_replies(std::as_bytes(std::span{data + 1, size - 1}))});
  const std::string uri = std::string{"mongodb://"} + (is_set(2) ? "" : "ann:pencil@") +
                          "127.0.0.1:" + std::to_string(there.port()) + "/?" + impatient;
  ask(static_cast<asker>((flags >> 2U & 7U) % wire::enum_count<asker>()), uri, there.port(),
      is_set(32));
  there.await_end();
  return 0;
}
