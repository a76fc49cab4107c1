#include "config/driver/cursor_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/text/extended_json.hpp"
#include "tests/support/json_document.hpp"

namespace scattergate::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tests::json_document;

/// Runs queries against a server that gives the same replies to everybody, the last one for
/// ever.
class cursor_reader_test : public testing::Test {
 protected:
  mongo_result<void> find() {
    return reader.find("config", "chunks", json_document(R"({"a": 1})").view(),
                       json_document(R"({"batchSize": 7})").view(),
                       [this](wire::document_view) { return --sink_takes != 0; });
  }
  mongo_result<void> list() {
    return reader.list_collections("shop",
                                   json_document(R"({"filter": {"type": "view"}})").view(),
                                   [this](wire::document_view) { return --sink_takes != 0; });
  }
  mongo_result<std::vector<std::byte>> answer(std::string_view database,
                                              wire::document_view command) {
    wire::document_reader fields{command};
    wire::element name;
    EXPECT_TRUE(fields.next(name));
    asked.emplace_back(name.key());
    databases.emplace_back(database);
    last.assign(command.bytes().begin(), command.bytes().end());
    if (name.key() == "killCursors") return std::vector<std::byte>{};
    if (next == replies.size()) return failure;
    const auto& reply = replies[next];
    if (next + 1 < replies.size() || !is_endless) ++next;
    return reply;
  }
  void reply(const std::string& json) { replies.push_back(bson_of_json(json).value().bytes); }
  /// Starts again, with a server that gives these replies.
  void replies_are(const std::vector<std::string>& all) {
    next = 0;
    asked.clear();
    replies.clear();
    for (const std::string& json : all) reply(json);
  }

  /// The last command, field by field.
  [[nodiscard]] std::optional<wire::element> sent(std::string_view field) const {
    return wire::find_field(wire::document_view::from(last).value(), field);
  }

  query_bounds most{.records = 10, .bytes = 2'000, .empty_batches = 3};
  cursor_reader reader{[this](std::string_view database, wire::document_view command) {
                         return answer(database, command);
                       },
                       most};
  std::vector<std::vector<std::byte>> replies;
  mongo_error failure{mongo_failure::unreachable, 0, "gone"};
  bool is_endless = false;
  int sink_takes = 1'000'000;  // 0 after so many
  std::size_t next = 0;
  std::vector<std::string> asked;
  std::vector<std::string> databases;
  std::vector<std::byte> last;
};

TEST_F(cursor_reader_test, reads_batch_by_batch) {
  reply(R"({"cursor": {"id": {"$numberLong": "-5"}, "ns": "config.chunks",
                       "firstBatch": [{"n": 1}, {"n": 2}]}})");
  reply(R"({"cursor": {"id": {"$numberLong": "-5"}, "ns": "config.chunks", "nextBatch": []}})");
  reply(R"({"cursor": {"id": {"$numberLong": "0"}, "ns": "config.chunks",
                       "nextBatch": [{"n": 3}]}})");
  EXPECT_TRUE(find());
  EXPECT_EQ(sink_takes, 1'000'000 - 3);
  EXPECT_THAT(asked, ElementsAre("find", "getMore", "getMore"));
  EXPECT_EQ(sent("getMore")->as_int64(), -5);
  EXPECT_EQ(sent("collection")->as_string(), "chunks");
  EXPECT_EQ(sent("batchSize")->as_int64(), 7);
}

TEST_F(cursor_reader_test, asks_with_filter_and_options) {
  reply(R"({"cursor": {"id": 0, "firstBatch": []}})");
  EXPECT_TRUE(find());
  EXPECT_EQ(sent("find")->as_string(), "chunks");
  EXPECT_TRUE(sent("filter")->as_document());
  EXPECT_EQ(sent("batchSize")->as_int64(), 7);
  EXPECT_THAT(databases, ElementsAre("config"));
}

TEST_F(cursor_reader_test, lists_collections) {
  reply(R"({"cursor": {"id": {"$numberLong": "9"}, "firstBatch": [{}]}})");
  reply(R"({"cursor": {"id": 0, "nextBatch": [{}]}})");
  EXPECT_TRUE(list());
  EXPECT_THAT(asked, ElementsAre("listCollections", "getMore"));
  EXPECT_THAT(databases, ElementsAre("shop", "shop"));
  EXPECT_EQ(sent("collection")->as_string(), "$cmd.listCollections");
  EXPECT_FALSE(sent("batchSize"));
}

TEST_F(cursor_reader_test, takes_any_name_space) {
  for (const char* ns : {R"("config")", R"("")", R"(5)", R"("a.b.c")", R"({"x": 1})"}) {
    next = 0;
    replies.clear();
    reply(std::string{R"({"cursor": {"id": 0, "firstBatch": [{}], "ns": )"} + ns + "}}");
    EXPECT_TRUE(find()) << ns;
    next = 0;
    EXPECT_TRUE(list()) << ns;
  }
}

TEST_F(cursor_reader_test, kills_what_it_leaves_open) {
  reply(R"({"cursor": {"id": {"$numberLong": "77"}, "firstBatch": [{}, {}]}})");
  sink_takes = 1;
  EXPECT_TRUE(find());
  EXPECT_THAT(asked, ElementsAre("find", "killCursors"));
  EXPECT_EQ(sent("killCursors")->as_string(), "chunks");
  const auto cursors = sent("cursors")->as_array();
  ASSERT_TRUE(cursors);
  EXPECT_EQ(wire::find_field(*cursors, "0")->as_int64(), 77);
}

TEST_F(cursor_reader_test, kills_none_that_is_closed) {
  reply(R"({"cursor": {"id": 0, "firstBatch": [{}, {}]}})");
  sink_takes = 1;
  EXPECT_TRUE(find());
  EXPECT_THAT(asked, ElementsAre("find"));
}

TEST_F(cursor_reader_test, hands_errors_on) {
  reply(R"({"cursor": {"id": 3, "firstBatch": [{}]}})");
  EXPECT_EQ(find().error().text, "gone");
  EXPECT_THAT(asked, ElementsAre("find", "getMore"));
  failure = {mongo_failure::command_failed, 43, "no such cursor"};
  asked.clear();
  next = 0;
  EXPECT_EQ(find().error().code, 43);
  EXPECT_THAT(asked, ElementsAre("find", "getMore", "killCursors"));
}

struct broken_reply {
  const char* json;
  const char* why;
};

TEST_F(cursor_reader_test, refuses_a_broken_first_reply) {
  constexpr broken_reply cases[] = {
      {R"({})", "cursor is not a document"},
      {R"({"ok": 1})", "cursor is not a document"},
      {R"({"cursor": 1})", "cursor is not a document"},
      {R"({"cursor": [1]})", "cursor is not a document"},
      {R"({"cursor": null})", "cursor is not a document"},
      {R"({"cursor": {}})", "cursor.id is not a number"},
      {R"({"cursor": {"firstBatch": []}})", "cursor.id is not a number"},
      {R"({"cursor": {"id": "7", "firstBatch": []}})", "cursor.id is not a number"},
      {R"({"cursor": {"id": 0.5, "firstBatch": []}})", "cursor.id is not a number"},
      {R"({"cursor": {"id": {"$numberDouble": "NaN"}, "firstBatch": []}})",
       "cursor.id is not a number"},
      {R"({"cursor": {"id": {"$oid": "507f1f77bcf86cd799439011"}, "firstBatch": []}})",
       "cursor.id is not a number"},
      {R"({"cursor": {"id": 0}})", "cursor.firstBatch is not an array"},
      {R"({"cursor": {"id": 0, "nextBatch": []}})", "cursor.firstBatch is not an array"},
      {R"({"cursor": {"id": 0, "firstBatch": {}}})", "cursor.firstBatch is not an array"},
      {R"({"cursor": {"id": 0, "firstBatch": 5}})", "cursor.firstBatch is not an array"},
      {R"({"cursor": {"id": 0, "firstBatch": [5]}})", "something other than documents"},
      {R"({"cursor": {"id": 0, "firstBatch": [{}, "x"]}})", "something other than documents"},
      {R"({"cursor": {"id": 0, "firstBatch": [[{}]]}})", "something other than documents"},
  };
  for (const auto& [json, why] : cases) {
    for (const bool is_find : {true, false}) {
      next = 0;
      replies.clear();
      reply(json);
      const auto done = is_find ? find() : list();
      ASSERT_FALSE(done) << json;
      EXPECT_EQ(done.error().kind, mongo_failure::command_failed);
      EXPECT_THAT(done.error().text, HasSubstr(why)) << json;
      EXPECT_THAT(done.error().text, HasSubstr(is_find ? "find" : "listCollections"));
    }
  }
  EXPECT_THAT(asked, testing::Each(testing::Not("killCursors")));
}

TEST_F(cursor_reader_test, refuses_a_broken_later_reply_and_kills_its_cursor) {
  constexpr broken_reply cases[] = {
      {R"({"ok": 1})", "cursor is not a document"},
      {R"({"cursor": {"id": "5"}})", "cursor.id is not a number"},
      {R"({"cursor": {"id": 6, "nextBatch": []}})", "doesn't match the open cursor"},
      {R"({"cursor": {"id": 5, "firstBatch": []}})", "cursor.nextBatch is not an array"},
      {R"({"cursor": {"id": 5, "nextBatch": [true]}})", "something other than documents"},
  };
  for (const auto& [json, why] : cases) {
    replies_are({R"({"cursor": {"id": 5, "firstBatch": [{}]}})", json});
    EXPECT_THAT(find().error().text, HasSubstr(why)) << json;
    EXPECT_THAT(asked, ElementsAre("find", "getMore", "killCursors"));
    EXPECT_EQ(wire::find_field(sent("cursors")->as_array().value(), "0")->as_int64(), 5);
  }
}

TEST_F(cursor_reader_test, refuses_a_batch_with_broken_bson) {
  const auto good =
      bson_of_json(R"({"cursor": {"id": 0, "firstBatch": [{}, {}]}})").value().bytes;
  for (std::size_t at = 4; at < good.size(); ++at) {
    for (const std::byte value : {std::byte{0}, std::byte{0x7e}, std::byte{0xff}}) {
      next = 0;
      replies = {good};
      replies[0][at] = value;
      static_cast<void>(find());  // no reply ends the process or is read forever
      EXPECT_LE(next, 1U);
    }
  }
  replies = {{std::byte{5}}};
  next = 0;
  EXPECT_THAT(find().error().text, HasSubstr("not a document"));
  replies = {
      bson_of_json(R"({"cursor": {"id": 0, "firstBatch": [{}, {"a": 1}]}})").value().bytes};
  replies[0][replies[0].size() - 18] = std::byte{0x7e};  // the second member's type
  next = 0;
  EXPECT_FALSE(find());
}

TEST_F(cursor_reader_test, ends_what_does_not_end) {
  struct {
    const char* json;
    const char* why;
  } constexpr cases[] = {
      {R"({"cursor": {"id": 5, "nextBatch": [{}]}})", "more than 10 records"},
      {R"({"cursor": {"id": 5, "nextBatch": []}})", "more than 3 empty batches in a row"},
  };
  is_endless = true;
  for (const auto& [json, why] : cases) {
    replies_are({R"({"cursor": {"id": 5, "firstBatch": [{}]}})", json});
    EXPECT_THAT(find().error().text, HasSubstr(why));
    EXPECT_EQ(asked.back(), "killCursors");
  }
}

TEST_F(cursor_reader_test, ends_what_is_too_large) {
  is_endless = true;
  const std::string text(300, 'x');
  reply(R"({"cursor": {"id": 5, "firstBatch": [{"a": ")" + text + R"("}]}})");
  reply(R"({"cursor": {"id": 5, "nextBatch": [{"a": ")" + text + R"("}]}})");
  EXPECT_THAT(find().error().text, HasSubstr("more than 2000 bytes"));
  EXPECT_EQ(asked.back(), "killCursors");
}

TEST_F(cursor_reader_test, gives_up_what_goes_on_for_too_long) {
  most.time = std::chrono::seconds{-1};
  cursor_reader impatient{[this](std::string_view database, wire::document_view command) {
                            return answer(database, command);
                          },
                          most};
  reply(R"({"cursor": {"id": 7, "firstBatch": [{}]}})");
  reply(R"({"ok": 1})");
  const auto found =
      impatient.find("config", "chunks", {}, {}, [](wire::document_view) { return true; });
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().text, testing::HasSubstr("seconds of batches"));
  EXPECT_EQ(asked.back(), "killCursors");
}

}  // namespace
}  // namespace scattergate::config
