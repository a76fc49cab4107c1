#include "proxy/sketching/sketch_notes.hpp"

#include <map>

#include "tests/proxy/fixture.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/wire/messages.hpp"

namespace scattergate::proxy {
namespace {

constexpr digest::salt some_salt{1, 2};

class sketch_notes_test : public testing::Test {
 protected:
  static constexpr std::size_t memory_bytes = std::size_t{64} << 20U;

  void note(const std::string& json) {
    const bytes message = request(1, json);
    wire::message_header header{static_cast<std::int32_t>(message.size()), 1, 0,
                                wire::opcode::msg};
    const auto command = wire::parse_command(header, message).value();
    const auto kind = routing::kind_of(command.name);
    const auto place = notes_->place_of(command, kind);
    if (place != 0) notes_->note(place, command, kind, scratch_, meter_);
  }

  /// A field's counts: the number of its values, and of distinct ones.
  struct counted {
    std::uint64_t pinned = 0;
    std::uint64_t values = 0;
    double distinct = 0;
  };
  std::map<std::string, counted> fields() {
    notes_->flush();
    account_.reset();  // adds everything
    std::map<std::string, counted> made;
    book_.read([&](const digest::sketch_set& all) {
      const auto* const items = all.find("app", "items");
      if (items == nullptr) return;
      requests = items->requests();
      for (const auto& each : items->fields()) {
        made[std::string{each.path}] = {each.of.pinned, each.of.values.commonest().total(),
                                        each.of.values.distinct().estimate()};
      }
    });
    return made;
  }

  std::uint64_t requests = 0;
  telemetry::memory_budget memory_{memory_bytes};
  telemetry::live_digest digest_{10, memory_};
  telemetry::sketch_book book_{some_salt, memory_};
  std::optional<telemetry::account> account_{std::in_place, digest_,
                                             std::vector<telemetry::sink_thread*>{}, &book_};
  std::optional<sketch_notes> notes_{std::in_place, &book_, *account_};
  std::vector<std::byte> block_ = std::vector<std::byte>(routing::scratch_bytes);
  routing::scratch scratch_{block_};
  net::work_meter meter_;
};

TEST_F(sketch_notes_test, takes_the_values_to_which_commands_pin_fields) {
  const struct {
    const char* json;
    std::uint64_t values;  // of `a`
  } rows[] = {
      {R"({"find":"items","filter":{"a":1},"$db":"app"})", 1},
      {R"({"find":"items","filter":{"a":{"$eq":2}},"$db":"app"})", 1},
      {R"({"find":"items","filter":{"$and":[{"$and":[{"a":3}]},{"b":1}]},"$db":"app"})", 1},
      {R"({"find":"items","filter":{"a":{"$in":[4,5,"x",["y"],{"$regularExpression":{"pattern":"z","options":""}}]}},"$db":"app"})",
       3},
      {R"({"count":"items","query":{"a":6},"$db":"app"})", 1},
      {R"({"distinct":"items","key":"x","query":{"a":7},"$db":"app"})", 1},
      {R"({"aggregate":"items","pipeline":[{"$match":{"a":8}},{"$match":{"a":9}}],"$db":"app"})",
       1},
      {R"({"findAndModify":"items","query":{"a":10},"update":{"$set":{"a":0}},"$db":"app"})",
       1},
      {R"({"update":"items","updates":[{"q":{"a":11},"u":{"$set":{"x":1}}},{"q":{"a":12},"u":{}}],"$db":"app"})",
       2},
      {R"({"delete":"items","deletes":[{"q":{"a":13},"limit":1}],"$db":"app"})", 1},
      {R"({"find":"items","filter":{"a":{"$gt":1}},"$db":"app"})", 0},
      {R"({"find":"items","filter":{"$or":[{"a":1},{"a":2}]},"$db":"app"})", 0},
      {R"({"find":"items","filter":{"a":[1]},"$db":"app"})", 0},
      {R"({"find":"items","$db":"app"})", 0},
      {R"({"aggregate":"items","pipeline":[{"$sort":{"a":1}},{"$match":{"a":1}}],"$db":"app"})",
       0},
      {R"({"getMore":{"$numberLong":"5"},"collection":"items","$db":"app"})", 0},
      {R"({"explain":{"find":"items","filter":{"a":1}},"$db":"app"})", 0},
      {R"({"ping":1,"$db":"app"})", 0},
  };
  std::uint64_t values = 0;
  for (const auto& row : rows) {
    note(row.json);
    values += row.values;
  }
  const auto found = fields();
  EXPECT_EQ(found.at("a").values, values);
  EXPECT_NEAR(found.at("a").distinct, static_cast<double>(values), 1);
  EXPECT_EQ(requests, 16U) << "an update of two statements counts as two";
}

TEST_F(sketch_notes_test, takes_new_documents) {
  note(R"({"find":"items","filter":{"a":1,"b.c":{"$in":[1,2]}},"$db":"app"})");
  note(R"({"insert":"items","documents":[{"_id":1,"a":2,"b":{"c":3}},{"_id":2,"b":{"c":[4]}},)"
       R"({"b":5,"a":{"$numberLong":"1"}}],"$db":"app"})");
  const auto found = fields();
  EXPECT_EQ(requests, 4U);
  EXPECT_EQ(found.at("_id").values, 2U) << "a missing one is generated";
  EXPECT_EQ(found.at("a").values, 4U);
  EXPECT_NEAR(found.at("a").distinct, 3, 0.5) << "1, 2 and null";
  EXPECT_EQ(found.at("b.c").values, 4U) << "1, 2, 3 and null; an array is no value";
}

TEST_F(sketch_notes_test, weighs_some_statements_of_a_large_batch_for_all) {
  std::string updates;
  constexpr int count = 500;
  for (int i = 0; i < count; ++i) {
    updates += (i == 0 ? "" : ",") + std::string{R"({"q":{"a":)"} + std::to_string(i % 2) +
               R"(},"u":{"$set":{"x":1}}})";
  }
  note(R"({"update":"items","updates":[)" + updates + R"(],"$db":"app"})");
  const auto found = fields();
  EXPECT_NEAR(static_cast<double>(requests), count, 16);
  EXPECT_NEAR(static_cast<double>(found.at("a").values), count, 16);
}

TEST_F(sketch_notes_test, counts_a_command_that_is_not_too_large_once) {
  note(R"({"find":"items","filter":{"a":1},"comment":")" +
       std::string(sketch_notes::most_bytes - 200, 'x') + R"(","$db":"app"})");
  const auto found = fields();
  EXPECT_EQ(requests, 1U);
  EXPECT_EQ(found.at("a").values, 1U);
}

TEST_F(sketch_notes_test, takes_a_bulk_write_s_statements_by_their_namespaces) {
  const bytes message = request(
      1, R"({"bulkWrite":1,"ops":[{"insert":0,"document":{"_id":1,"a":1}},)"
         R"({"update":1,"filter":{"a":2},"updateMods":{"$set":{"x":1}}},)"
         R"({"update":0,"filter":{"a":{"$in":[3,4]}},"updateMods":{"$set":{"x":1}}},)"
         R"({"delete":0,"filter":{"a":5}},{"delete":7,"filter":{"a":6}},{"delete":"x"}],)"
         R"("nsInfo":[{"ns":"app.items"},{"ns":"app.others"}],"$db":"admin"})");
  const wire::message_header header{static_cast<std::int32_t>(message.size()), 1, 0,
                                    wire::opcode::msg};
  const auto command = wire::parse_command(header, message).value();
  const sketch_notes::place_list places{notes_->place_of({"app", "items"})};
  notes_->note_operations(places, command, true, scratch_, meter_);  // learns of `a`
  {
    const tests::allocation_counter counter;
    notes_->note_operations(places, command, true, scratch_, meter_);
    EXPECT_EQ(counter.count(), 0U);
  }
  notes_->note_operations(places, command, false, scratch_, meter_);
  const auto found = fields();
  EXPECT_EQ(requests, 8U) << "without its new documents two";
  EXPECT_EQ(found.at("a").values, 10U) << "the first document came before `a` was known";
  EXPECT_EQ(found.at("a").pinned, 6U);
  EXPECT_NEAR(found.at("a").distinct, 4, 0.5);
  EXPECT_EQ(found.at("_id").values, 2U);
}

/// An insert of this number of documents of about 130 bytes, in a document sequence.
bytes insert_of(int documents) {
  bytes all;
  for (int i = 0; i < documents; ++i) {
    const tests::json_document each{R"({"_id":)" + std::to_string(i) + R"(,"a":)" +
                                    std::to_string(i % 2) + R"(,"text":")" +
                                    std::string(100, 'x') + R"("})"};
    append(all, each.view().bytes().data(), each.view().size_bytes());
  }
  const tests::json_document body{R"({"insert":"items","$db":"app"})"};
  const auto of_body = body.view().bytes();
  return wire_tests::op_msg_bytes(
      0, wire_tests::joined(wire_tests::body_section({of_body.begin(), of_body.end()}),
                            wire_tests::sequence_section("documents", all)));
}

TEST_F(sketch_notes_test, weighs_the_first_documents_of_a_large_insert_for_all) {
  note(R"({"find":"items","filter":{"a":1},"$db":"app"})");
  constexpr int count = 5'000;
  const bytes message = insert_of(count);
  const wire::message_header header{static_cast<std::int32_t>(message.size()), 1, 0,
                                    wire::opcode::msg};
  const auto command = wire::parse_command(header, message).value();
  const std::uint64_t before = meter_.done();
  notes_->note(notes_->place_of({"app", "items"}), command, routing::command_kind::insert,
               scratch_, meter_);
  EXPECT_LE(meter_.done() - before, sketch_notes::most_bytes);
  const auto found = fields();
  EXPECT_NEAR(static_cast<double>(requests), count, count / 10);
  EXPECT_NEAR(static_cast<double>(found.at("a").values), count, count / 10);
}

TEST_F(sketch_notes_test, takes_an_insert_s_documents_that_have_come_at_its_start) {
  constexpr int count = 5'000;
  const bytes message = insert_of(count);
  const wire::message_header header{static_cast<std::int32_t>(message.size()), 1, 0,
                                    wire::opcode::msg};
  const auto start = std::span{message}.first(sketch_notes::start_bytes);
  notes_->note_start(header, start, scratch_, meter_);
  EXPECT_TRUE(fields().empty()) << "nothing is known of the collection yet";
}

TEST_F(sketch_notes_test, weighs_the_documents_at_an_insert_s_start_for_all) {
  note(R"({"find":"items","filter":{"a":1},"$db":"app"})");
  constexpr int count = 5'000;
  const bytes message = insert_of(count);
  const wire::message_header header{static_cast<std::int32_t>(message.size()), 1, 0,
                                    wire::opcode::msg};
  {
    const tests::allocation_counter counter;
    for (const std::size_t size : {std::size_t{0}, std::size_t{20}, std::size_t{80}}) {
      notes_->note_start(header, std::span{message}.first(size), scratch_, meter_);
    }
    notes_->note_start(header, std::span{message}.first(sketch_notes::start_bytes), scratch_,
                       meter_);
    EXPECT_EQ(counter.count(), 0U);
  }
  const auto found = fields();
  EXPECT_NEAR(static_cast<double>(requests), count, count / 10);
  EXPECT_NEAR(static_cast<double>(found.at("a").values), count, count / 10);
}

TEST_F(sketch_notes_test, weighs_some_commands_of_very_many_for_all) {
  constexpr std::uint64_t count = sketch_notes::whole_commands + 1'000 * sketch_notes::one_in;
  for (std::uint64_t i = 0; i < count; ++i) {
    note(R"({"find":"items","filter":{"a":)" + std::to_string(i % 2) + R"(},"$db":"app"})");
  }
  EXPECT_NEAR(static_cast<double>(fields().at("a").values), count, 2 * sketch_notes::one_in);
}

TEST_F(sketch_notes_test, finds_the_values_of_messages_that_are_alike_without_parsing_them) {
  const auto message_of = [](std::string_view tenant, int id) {
    return request(7, R"({"find":"items","filter":{"tenant":")" + std::string{tenant} +
                          R"(","_id":)" + std::to_string(id) +
                          R"(,"x":{"$gt":5}},"limit":1,"$db":"app"})");
  };
  const bytes first = message_of("a", 1);
  const wire::message_header header{static_cast<std::int32_t>(first.size()), 7, 0,
                                    wire::opcode::msg};
  const auto command = wire::parse_command(header, first).value();
  sketch_plan plan;
  plan.kind = routing::command_kind::find;
  plan.place = notes_->place_of(command, plan.kind);
  notes_->note_again(plan, header, first, scratch_, meter_);  // learns of `tenant`
  notes_->note_again(plan, header, first, scratch_, meter_);
  ASSERT_TRUE(plan.is_usable);
  EXPECT_EQ(plan.count, 2U);
  const std::uint64_t parsed = meter_.done();
  for (int i = 0; i < 50; ++i) {
    const bytes other = message_of(std::string(static_cast<std::size_t>(i), 't'), i);
    notes_->note_again(plan, header, other, scratch_, meter_);
  }
  EXPECT_EQ(meter_.done(), parsed);
  const auto found = fields();
  EXPECT_EQ(requests, 52U);
  EXPECT_EQ(found.at("tenant").values, 52U);
  EXPECT_NEAR(found.at("tenant").distinct, 51, 2);
  EXPECT_NEAR(found.at("_id").distinct, 50, 2);
}

TEST_F(sketch_notes_test, parses_a_message_that_is_not_as_planned) {
  const auto take = [&](sketch_plan& plan, const std::string& json) {
    const bytes message = request(7, json);
    const wire::message_header header{static_cast<std::int32_t>(message.size()), 7, 0,
                                      wire::opcode::msg};
    const auto command = wire::parse_command(header, message).value();
    plan.kind = routing::command_kind::find;
    plan.place = notes_->place_of(command, plan.kind);
    notes_->note_again(plan, header, message, scratch_, meter_);
  };
  sketch_plan plan;
  for (int i = 0; i < 3; ++i)
    take(plan, R"({"find":"items","filter":{"a":1,"b":2},"$db":"app"})");
  ASSERT_TRUE(plan.is_usable);
  take(plan, R"({"find":"items","comment":"longer","filter":{"a":3,"b":4},"$db":"app"})");
  take(plan, R"({"find":"items","filter":{"b":5,"a":6},"$db":"app"})");
  take(plan, R"({"find":"items","filter":{},"$db":"app"})");
  // Of a list the number of values may change.
  sketch_plan of_list;
  for (int i = 0; i < 3; ++i) {
    take(of_list, R"({"find":"items","filter":{"a":{"$in":[7,8]}},"$db":"app"})");
  }
  EXPECT_FALSE(of_list.is_usable);
  const auto found = fields();
  EXPECT_EQ(requests, 9U);
  EXPECT_EQ(found.at("a").values, 11U);
  EXPECT_NEAR(found.at("a").distinct, 5, 0.5);
  EXPECT_EQ(found.at("b").values, 5U);
}

TEST_F(sketch_notes_test, does_not_allocate_for_a_known_collection_and_field) {
  const bytes message = request(1, R"({"find":"items","filter":{"a":1,"b":"x"},"$db":"app"})");
  wire::message_header header{static_cast<std::int32_t>(message.size()), 1, 0,
                              wire::opcode::msg};
  const auto command = wire::parse_command(header, message).value();
  const auto kind = routing::command_kind::find;
  const auto place = notes_->place_of(command, kind);
  notes_->note(place, command, kind, scratch_, meter_);
  const tests::allocation_counter counter;
  for (int i = 0; i < 400; ++i) {
    notes_->note(notes_->place_of(command, kind), command, kind, scratch_, meter_);
  }
  EXPECT_EQ(counter.count(), 0U);
}

TEST_F(sketch_notes_test, asks_for_few_new_fields_between_two_flushes) {
  for (int i = 0; i < 1'000; ++i) {
    note(R"({"find":"items","filter":{"f)" + std::to_string(i) + R"(":1},"$db":"app"})");
  }
  EXPECT_LE(fields().size(), digest::collection_sketches::max_fields);
  EXPECT_EQ(requests, 1'000U);
}

TEST_F(sketch_notes_test, has_no_place_beyond_the_number_of_collections) {
  for (std::size_t i = 0; i < digest::sketch_set::max_collections + 5; ++i) {
    note(R"({"find":"c)" + std::to_string(i) + R"(","filter":{"a":1},"$db":"app"})");
  }
  note(R"({"find":"items","filter":{"a":1},"$db":"app"})");
  EXPECT_TRUE(fields().empty());
}

TEST_F(sketch_notes_test, is_off_without_a_book) {
  notes_.emplace(nullptr, *account_);
  note(R"({"find":"items","filter":{"a":1},"$db":"app"})");
  EXPECT_FALSE(notes_->is_on());
  EXPECT_TRUE(fields().empty());
}

}  // namespace
}  // namespace scattergate::proxy
