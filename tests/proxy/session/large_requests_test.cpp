// Large requests, which another thread than the worker's judges.

#include "tests/proxy/fixture.hpp"
#include "wire/compressed.hpp"

namespace scattergate::proxy {
namespace {

using verb = step::verb;
using wire::limits::header_bytes;

/// A find of a hundred thousand bytes, all in its filter, so that it is kept whole.
std::string find_by(std::string_view field) {
  std::string json = R"({"find":"items","filter":{")";
  json.append(field).append(R"(":{"$in":[0)");
  for (int i = 1; i < 10'000; ++i) json += "," + std::to_string(i);
  return json + R"(]}},"$db":"app"})";
}

std::string insert_of(std::size_t documents) {
  std::string json = R"({"insert":"items","$db":"app","documents":[{"tenant":0})";
  for (std::size_t i = 1; i < documents; ++i)
    json += R"(,{"tenant":)" + std::to_string(i) + "}";
  return json + "]}";
}

class large_requests : public fsm_fixture {
 protected:
  double commands(const char* command, const char* routing) {
    return metric(
        "scattergate_commands_total",
        {{"db", "app"}, {"collection", "items"}, {"command", command}, {"routing", routing}});
  }
  void answer(int id) { (void)fsm.next_reply(reply(id), now); }

  /// Begins to have it judged, in the mode of large ones.
  void begin(const bytes& message) {
    expect_step(fsm.next_request(message, now), verb::await, 0);
    EXPECT_FALSE(fsm.may_request());
    EXPECT_FALSE(fsm.is_idle(message.size()));
  }
  step end(const bytes& message) {
    (void)fsm.awaited().advance(lent);
    return fsm.on_awaited(message, now);
  }
};

TEST_F(large_requests, wait_until_they_are_judged_and_others_replies_do_not) {
  use({reject_items()});
  const bytes before = request(1, R"({"find":"items","filter":{"tenant":1},"$db":"app"})");
  expect_step(fsm.next_request(before, now), verb::forward, before.size());
  const bytes large = request(2, find_by("tenant"));
  begin(large);
  expect_step(fsm.next_request(large, now), verb::wait, 0);
  const bytes answered = reply(1);
  expect_step(fsm.next_reply(answered, now), verb::forward, answered.size());
  expect_step(fsm.next_request(large, now), verb::wait, 0);
  expect_step(end(large), verb::forward, large.size());
  EXPECT_TRUE(fsm.may_request());
  answer(2);
  EXPECT_EQ(commands("find", "single_shard"), 1);
  EXPECT_EQ(commands("find", "multi_shard"), 1);
}

TEST_F(large_requests, are_rejected_in_their_turn) {
  use({reject_items()});
  const bytes before = request(1, R"({"find":"items","filter":{"tenant":1},"$db":"app"})");
  (void)fsm.next_request(before, now);
  const bytes large = request(2, find_by("x"));
  begin(large);
  expect_step(end(large), verb::drop, large.size());
  EXPECT_FALSE(fsm.has_injection() && fsm.is_idle(0));
  answer(1);
  ASSERT_TRUE(fsm.has_injection());
  EXPECT_EQ(fsm.next_reply({}, now).what, verb::inject);
}

TEST_F(large_requests, are_decided_by_the_settings_under_which_they_began) {
  use({reject_items()});
  const bytes large = request(1, find_by("x"));
  begin(large);
  use({});
  expect_step(end(large), verb::drop, large.size());
  (void)fsm.next_reply({}, now);
  const bytes small = request(2, R"({"find":"items","filter":{"x":1},"$db":"app"})");
  expect_step(fsm.next_request(small, now), verb::forward, small.size());
  answer(2);

  use({reject_items()});
  const bytes further = request(3, find_by("x"));
  begin(further);
  use({}, false);  // inspection is off by then
  expect_step(end(further), verb::drop, further.size());
}

TEST_F(large_requests, that_pass_meanwhile_are_judged_before_their_end_does) {
  use({});
  const bytes large = request(1, find_by("x"));
  const std::size_t begun = large.size() - 20'000;
  expect_step(fsm.next_request(std::span{large}.first(begun), now), verb::forward, begun);
  const bytes rest(large.begin() + static_cast<std::ptrdiff_t>(begun), large.end());
  begin(rest);
  expect_step(end(rest), verb::forward, rest.size());
  answer(1);
  EXPECT_EQ(commands("find", "scatter_gather"), 1);
  EXPECT_TRUE(fsm.is_idle(0));
}

TEST_F(large_requests, that_end_with_the_connection_are_forgotten) {
  use({reject_items()});
  const bytes large = request(1, find_by("x"));
  begin(large);
  fsm.end(now);
  (void)fsm.awaited().advance(lent);  // its thread didn't know
  EXPECT_EQ(commands("find", "scatter_gather"), 0);
}

/// All that is made of a request, as far as it is counted or reported.
struct judged_outcome {
  disposition how{};
  judgement judged;
  std::string unlisted_name;
  std::uint64_t shape_hash = 0;
  std::string shape;
  std::string suggestion;
  std::vector<std::byte> rejection;
};

judged_outcome outcome_of(inspection made) {
  judged_outcome seen{made.outcome, {}, {}, 0, {}, {}, {}};
  if (!made.pending) return seen;
  seen.judged = *made.pending;
  seen.unlisted_name = made.pending->unlisted_name;
  seen.rejection = made.pending->rejection;
  if (const auto& details = made.pending->fresh) {
    seen.shape_hash = details->shape_hash;
    seen.shape = details->what.shape_json;
    seen.suggestion = details->what.suggestion;
  }
  return seen;
}

/// An inspector of its own for each, as it numbers its rejections and knows what it has seen.
class one_inspector : public fsm_fixture {
 public:
  void TestBody() override {}
  judged_outcome inspect(const bytes& message, bool rejects, bool is_judged_elsewhere) {
    if (rejects) use({reject_items()});
    const inspected_connection connection{client, cursors, share};
    const auto header = *wire::parse_header(std::span{message}.first<header_bytes>());
    const request_view asked{header, message, connection, now};
    if (header.op != wire::opcode::compressed) return judge(asked, {}, is_judged_elsewhere);
    auto unpacked = inspector.unpack(asked, nullptr);
    EXPECT_TRUE(unpacked);
    return judge(asked.as(*unpacked), std::move(unpacked->own), is_judged_elsewhere);
  }

 private:
  judged_outcome judge(const request_view& read, budgeted_block block,
                       bool is_judged_elsewhere) {
    if (!is_judged_elsewhere) return outcome_of(inspector.inspect(read));
    const auto large = inspector.begin_judging(read, block);
    EXPECT_NE(large, nullptr);
    (void)large->advance(lent);
    return outcome_of(inspector.inspect(read, *large));
  }
};

TEST(large_judgement, says_what_is_said_of_it_at_once) {
  const std::string rest = R"(,"$db":"app","comment":")" + std::string(70'000, 'c') + R"("})";
  std::vector<bytes> messages;
  int id = 0;
  for (const std::string& json :
       {find_by("tenant"), find_by("x"), insert_of(9'000),
        R"({"update":"items","updates":[{"q":{"x":1},"u":{"$set":{"tenant":2}}}])" + rest,
        R"({"delete":"items","deletes":[{"q":{"x":1},"limit":0}])" + rest,
        R"({"aggregate":"items","pipeline":[{"$lookup":{"from":"items","as":"y"}}])" + rest,
        R"({"find":"plain","filter":{})" + rest, R"({"find":"items","filter":[])" + rest,
        R"({"hello":1)" + rest, R"({"x":1,"x":2)" + rest}) {
    messages.push_back(request(++id, json));
    messages.push_back(wire::compress(request(++id, json), wire::compressor::snappy));
  }
  bytes spoilt = request(++id, find_by("x"));
  spoilt[spoilt.size() - 1] = std::byte{7};
  messages.push_back(spoilt);
  for (const bytes& message : messages) {
    for (const bool rejects : {false, true}) {
      const judged_outcome there = one_inspector{}.inspect(message, rejects, true);
      const judged_outcome here = one_inspector{}.inspect(message, rejects, false);
      EXPECT_EQ(there.how, here.how);
      EXPECT_EQ(there.judged.command, here.judged.command);
      EXPECT_EQ(there.judged.routing, here.judged.routing);
      EXPECT_EQ(there.judged.why, here.judged.why);
      EXPECT_EQ(there.judged.is_finding, here.judged.is_finding);
      EXPECT_EQ(there.judged.finding_reason, here.judged.finding_reason);
      EXPECT_EQ(there.judged.statements, here.judged.statements);
      EXPECT_EQ(there.judged.fanout, here.judged.fanout);
      EXPECT_EQ(there.judged.ns, here.judged.ns);
      EXPECT_EQ(there.unlisted_name, here.unlisted_name);
      EXPECT_EQ(there.shape_hash, here.shape_hash);
      EXPECT_EQ(there.shape, here.shape);
      EXPECT_EQ(there.suggestion, here.suggestion);
      EXPECT_EQ(there.rejection, here.rejection);
    }
  }
}

}  // namespace
}  // namespace scattergate::proxy
