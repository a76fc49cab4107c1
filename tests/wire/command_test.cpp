#include "wire/command.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/wire/messages.hpp"

namespace scattergate::wire {
namespace {

using namespace scattergate::wire_tests;

const bytes database = string_field("$db", "yorkie-meta");

result<command> parse(const bytes& whole) {
  return parse_command(header_of(whole), whole);
}

result<command> parse_body(const bytes& body) {
  static bytes whole;  // outlives the views that the test looks at
  whole = op_msg_bytes(0, body_section(body));
  return parse(whole);
}

/// A document of `count` fields named 0, 1, 2, ...
bytes numbered_fields(std::size_t count) {
  bytes fields;
  for (std::size_t i = 0; i != count; ++i) {
    fields = joined(fields, field(0x0a, std::to_string(i), {}));
  }
  return document(fields);
}

TEST(command, of_an_op_msg_has_its_name_database_and_collection) {
  const bytes body =
      document(string_field("find", "clients"), field(0x03, "filter", document()), database);
  const bytes whole =
      op_msg_bytes(msg_flag::more_to_come | msg_flag::exhaust_allowed, body_section(body));
  const auto found = parse(whole);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "find");
  EXPECT_EQ(found->database, "yorkie-meta");
  EXPECT_EQ(found->collection, "clients");
  EXPECT_EQ(found->first.key(), "find");
  EXPECT_EQ(found->body.size_bytes(), body.size());
  EXPECT_EQ(found->request_id, 7);
  EXPECT_TRUE(found->more_to_come);
  EXPECT_TRUE(found->exhaust_allowed);
}

TEST(command, of_an_op_msg_brings_its_sequences) {
  const bytes whole = op_msg_bytes(
      0, joined(sequence_section("documents", document()),
                body_section(document(string_field("insert", "changes"), database))));
  const auto found = parse(whole);
  ASSERT_TRUE(found);
  ASSERT_FALSE(found->sequences.begin() == found->sequences.end());
  EXPECT_EQ(found->sequences.begin()->identifier, "documents");
  EXPECT_EQ(found->size_bytes(), whole.size() - limits::header_bytes - sizeof found->request_id)
      << "all but the header and the flags";
  EXPECT_FALSE(found->more_to_come);
  EXPECT_FALSE(found->exhaust_allowed);
}

TEST(command, collection_follows_the_first_field) {
  struct {
    const char* what;
    bytes body;
    std::string_view expected;
  } const cases[] = {
      {"a string", document(string_field("count", "changes"), database), "changes"},
      {"a number", document(int32_field("aggregate", 1), database), ""},
      {"getMore",
       document(field(0x12, "getMore", little(std::int64_t{5})),
                string_field("collection", "changes"), database),
       "changes"},
      {"getMore without", document(field(0x12, "getMore", bytes(8)), database), ""},
      {"getMore of a number",
       document(field(0x12, "getMore", bytes(8)), int32_field("collection", 1), database), ""},
      {"getMore of a string",
       document(string_field("getMore", "a"), string_field("collection", "b"), database), "b"},
      {"collection elsewhere",
       document(int32_field("ping", 1), string_field("collection", "b"), database), ""},
      {"a symbol", document(field(0x0e, "find", string_value("a")), database), "a"},
      {"code", document(field(0x0d, "find", string_value("a")), database), ""},
  };
  for (const auto& [what, body, expected] : cases) {
    const auto found = parse_body(body);
    ASSERT_TRUE(found) << what;
    EXPECT_EQ(found->collection, expected) << what;
  }
}

TEST(command, without_db_has_an_empty_database) {
  const auto found = parse_body(document(int32_field("ping", 1)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->database, "");
}

TEST(command, db_may_come_first_and_is_then_the_name) {
  const auto found = parse_body(document(database, string_field("find", "clients")));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "$db");
}

TEST(command, refuses_a_body_that_cannot_be_judged) {
  const bytes find = string_field("find", "clients");
  struct {
    const char* what;
    bytes body;
    wire_errc expected;
  } const cases[] = {
      {"empty", document(), wire_errc::empty_command},
      {"db is a number", document(find, int32_field("$db", 1)), wire_errc::bad_bson},
      {"corrupt first field", document(field(0x42, "find", {})), wire_errc::bad_bson},
      {"corrupt last field", document(find, database, field(0x42, "x", {})),
       wire_errc::bad_bson},
      {"end mark in the middle", document(find, bytes(1), database), wire_errc::bad_bson},
      {"two filters",
       document(find, field(0x03, "filter", document()), field(0x03, "filter", document()),
                database),
       wire_errc::duplicate_field},
      {"two databases", document(find, database, database), wire_errc::duplicate_field},
      {"the name twice", document(find, database, find), wire_errc::duplicate_field},
      {"two nameless fields", document(find, field(0x0a, "", {}), field(0x0a, "", {})),
       wire_errc::duplicate_field},
      {"too many fields", numbered_fields(limits::command_fields + 1),
       wire_errc::too_many_nodes},
  };
  for (const auto& [what, body, expected] : cases) {
    const auto from_message = parse_body(body);
    ASSERT_FALSE(from_message) << what;
    EXPECT_EQ(from_message.error(), expected) << what << ": " << label(from_message.error());
    const auto bare = command_of(view(body));
    ASSERT_FALSE(bare) << what;
    EXPECT_EQ(bare.error(), expected) << what;
  }
}

TEST(command, has_every_pair_of_its_fields_compared) {
  const std::size_t count = limits::command_fields;
  EXPECT_TRUE(parse_body(numbered_fields(count)));
  for (std::size_t twice = 0; twice != count - 1; ++twice) {
    const bytes whole = numbered_fields(count - 1);
    const bytes fields{whole.begin() + 4, whole.end() - 1};
    const auto found = parse_body(document(fields, field(0x0a, std::to_string(twice), {})));
    ASSERT_FALSE(found) << twice;
    EXPECT_EQ(found.error(), wire_errc::duplicate_field) << twice;
  }
}

TEST(command, compares_names_no_longer_than_mongodb_has_them) {
  const std::string longest(limits::command_field_name_bytes, 'a');
  const bytes first = string_field("find", "clients");
  const auto twice = [&](const std::string& name) {
    return parse_body(document(first, field(0x0a, name, {}), field(0x0a, name, {})));
  };
  EXPECT_FALSE(twice(longest));
  EXPECT_TRUE(twice(longest + "a"));
}

TEST(command, a_sequence_named_as_a_field_or_twice_is_a_duplicate) {
  const bytes body = body_section(
      document(string_field("insert", "changes"), field(0x04, "documents", document())));
  const bytes sequence = sequence_section("documents", document());
  const bytes other = sequence_section("ops", document());
  for (const bytes& sections : {joined(body, sequence), joined(sequence, body),
                                joined(body, other, other), joined(other, body, other)}) {
    const bytes whole = op_msg_bytes(0, sections);
    const auto found = parse(whole);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error(), wire_errc::duplicate_field);
  }
}

TEST(command, counts_sequences_as_fields) {
  bytes sections = body_section(numbered_fields(limits::command_fields - 1));
  sections = joined(sections, sequence_section("a", document()));
  EXPECT_TRUE(parse(op_msg_bytes(0, sections)));
  sections = joined(sections, sequence_section("b", document()));
  const auto found = parse(op_msg_bytes(0, sections));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), wire_errc::too_many_nodes);
}

TEST(command, does_not_look_below_the_top_level) {
  const bytes body = document(string_field("find", "clients"),
                              field(0x03, "filter", nested_document(1'000'000)), database);
  const auto found = parse_body(body);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->collection, "clients");
}

TEST(command, of_an_op_query_takes_its_database_from_the_collection) {
  const bytes hello = document(int32_field("isMaster", 1), int32_field("helloOk", 1));
  const bytes whole = op_query_bytes("admin.$cmd", hello);
  const auto found = parse(whole);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "isMaster");
  EXPECT_EQ(found->database, "admin");
  EXPECT_EQ(found->collection, "");
  EXPECT_EQ(found->request_id, 7);
}

TEST(command, of_an_op_query_is_unwrapped) {
  const bytes inner = document(string_field("count", "changes"));
  for (const char* const wrapper : {"$query", "query"}) {
    const bytes whole = op_query_bytes(
        "a.b.$cmd",
        document(field(0x03, wrapper, inner), field(0x03, "$readPreference", document())));
    const auto found = parse(whole);
    ASSERT_TRUE(found) << wrapper;
    EXPECT_EQ(found->name, "count");
    EXPECT_EQ(found->collection, "changes");
    EXPECT_EQ(found->database, "a.b");
    EXPECT_EQ(found->body.size_bytes(), inner.size());
  }
}

TEST(command, of_an_op_query_is_refused_where_it_is_none) {
  const bytes hello = document(int32_field("isMaster", 1));
  const bytes broken = field(0x42, "x", {});
  struct {
    const char* what;
    bytes whole;
    wire_errc expected;
  } const cases[] = {
      {"a collection", op_query_bytes("db.clients", hello), wire_errc::legacy_opcode},
      {"no database", op_query_bytes("$cmd", hello), wire_errc::legacy_opcode},
      {"a collection below $cmd", op_query_bytes("admin.$cmd.sys.inprog", hello),
       wire_errc::legacy_opcode},
      {"empty", op_query_bytes("admin.$cmd", document()), wire_errc::empty_command},
      {"empty in its wrapper",
       op_query_bytes("admin.$cmd", document(field(0x03, "$query", document()))),
       wire_errc::empty_command},
      {"corrupt in its wrapper",
       op_query_bytes("admin.$cmd", document(field(0x03, "$query", document(broken)))),
       wire_errc::bad_bson},
      {"corrupt beside its wrapper",
       op_query_bytes("admin.$cmd", document(field(0x03, "$query", hello), broken)),
       wire_errc::bad_bson},
      {"corrupt", op_query_bytes("admin.$cmd", document(broken)), wire_errc::bad_bson},
      {"cut", op_query_bytes("admin.$cmd", bytes(4)), wire_errc::short_message},
  };
  for (const auto& [what, whole, expected] : cases) {
    const auto found = parse(whole);
    ASSERT_FALSE(found) << what;
    EXPECT_EQ(found.error(), expected) << what << ": " << label(found.error());
  }
}

/// mongos before 8.1 appends the fields of `$queryOptions` to the command.
TEST(command, of_an_op_query_has_no_arguments_in_query_options) {
  const bytes hello = int32_field("isMaster", 1);
  const bytes mode = field(0x03, "$readPreference", document(string_field("mode", "nearest")));
  const bytes pipeline = field(0x04, "pipeline", document());
  const bytes hidden = field(0x03, "$queryOptions", document(pipeline));
  const bytes harmless = field(0x03, "$queryOptions", document(mode));
  struct {
    const char* what;
    bytes query;
    bool is_refused;
  } const cases[] = {
      {"none", document(hello), false},
      {"a read preference", document(hello, harmless), false},
      {"two read preferences",
       document(hello, field(0x03, "$queryOptions", document(mode, mode))), false},
      {"nothing in it", document(hello, field(0x03, "$queryOptions", document())), false},
      {"another spelling", document(hello, field(0x03, "$QueryOptions", document(pipeline))),
       false},
      {"below the top level", document(hello, field(0x03, "filter", document(hidden))), false},
      {"an argument", document(hello, hidden), true},
      {"first", document(hidden, hello), true},
      {"beside a read preference",
       document(hello, field(0x03, "$queryOptions", document(mode, pipeline))), true},
      {"in an array", document(hello, field(0x04, "$queryOptions", document(pipeline))), true},
      {"given twice, harmless first", document(hello, harmless, hidden), true},
      {"given twice, harmless last", document(hello, hidden, harmless), true},
      {"not a document", document(hello, int32_field("$queryOptions", 1)), true},
      {"another spelling of the read preference",
       document(hello, field(0x03, "$queryOptions",
                             document(field(0x03, "$readpreference", document())))),
       true},
      {"beside a wrapper", document(field(0x03, "$query", document(hello)), hidden), true},
      {"within a wrapper", document(field(0x03, "$query", document(hello, hidden))), true},
      {"within the other wrapper", document(field(0x03, "query", document(hello, hidden))),
       true},
      {"before a duplicate", document(hello, hello, hidden), true},
      {"corrupt", document(hello, field(0x03, "$queryOptions", document(field(0x42, "x", {})))),
       true},
  };
  for (const auto& [what, query, is_refused] : cases) {
    const auto found = parse(op_query_bytes("admin.$cmd", query));
    const auto error = found ? wire_errc{} : found.error();
    EXPECT_EQ(error, is_refused ? wire_errc::hidden_arguments : wire_errc{}) << what;
  }
  bytes many = hello;
  for (int i = 0; i != 200; ++i) many = joined(many, int32_field("f" + std::to_string(i), 1));
  EXPECT_EQ(parse(op_query_bytes("admin.$cmd", document(many, hidden))).error(),
            wire_errc::hidden_arguments);
}

TEST(command, of_other_opcodes_is_refused_by_what_they_are) {
  const bytes body = body_section(document(int32_field("ping", 1)));
  struct {
    int op;
    wire_errc expected;
  } const cases[] = {
      {1, wire_errc::unexpected_opcode},    {2001, wire_errc::legacy_opcode},
      {2002, wire_errc::legacy_opcode},     {2005, wire_errc::legacy_opcode},
      {2006, wire_errc::legacy_opcode},     {2007, wire_errc::legacy_opcode},
      {2012, wire_errc::compressed},        {2010, wire_errc::unexpected_opcode},
      {4711, wire_errc::unexpected_opcode},
  };
  for (const auto& [op, expected] : cases) {
    const auto found = parse(message(static_cast<opcode>(op), 1, joined(bytes(4), body)));
    ASSERT_FALSE(found) << op;
    EXPECT_EQ(found.error(), expected) << op;
  }
}

TEST(command, of_a_malformed_op_msg_keeps_its_reason) {
  const auto found = parse(op_msg_bytes(1U << 5U, body_section(document())));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), wire_errc::unknown_flags);
}

TEST(command, of_a_bare_body_has_no_message) {
  const bytes body = document(string_field("distinct", "changes"), database);
  const auto found = command_of(view(body));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "distinct");
  EXPECT_EQ(found->collection, "changes");
  EXPECT_EQ(found->database, "yorkie-meta");
  EXPECT_EQ(found->request_id, 0);
  EXPECT_TRUE(found->sequences.begin() == found->sequences.end());
}

}  // namespace
}  // namespace scattergate::wire
