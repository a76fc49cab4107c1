#include "wire/message_digest.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/wire/messages.hpp"
#include "wire/command.hpp"

namespace scattergate::wire {
namespace {

using namespace scattergate::wire_tests;

constexpr digest_part of_insert[] = {{"documents", "", digest_part::kind::document}};
const std::string of_key[] = {"key"};
const std::string of_a[] = {"a"};
constexpr digest_part of_update[] = {{"updates", "u", digest_part::kind::update}};
constexpr digest_part of_find_and_modify[] = {{"", "update", digest_part::kind::update}};

/// A value of every type, and whether its field is asked for, by its name.
const std::vector<std::pair<std::string, bytes>> fields_of_all_types = {
    {"float64", field(0x01, "float64", little(1.5))},
    {"text", string_field("text", std::string(300, 'x'))},
    {"object", field(0x03, "object", document(int32_field("key", 1), string_field("x", "y")))},
    {"list", field(0x04, "list", document(int32_field("0", 1), int32_field("1", 2)))},
    {"binary", field(0x05, "binary", joined(little(3), little(std::int8_t{0}), text("abc")))},
    {"object_id", field(0x07, "object_id", text("twelve bytes"))},
    {"yes", field(0x08, "yes", little(std::int8_t{1}))},
    {"date", field(0x09, "date", little(std::int64_t{7}))},
    {"nothing", field(0x0a, "nothing", {})},
    {"regex", field(0x0b, "regex", joined(c_string("^a.*"), c_string("im")))},
    {"scoped",
     field(0x0f, "scoped", joined(little(4 + 4 + 2 + 5), string_value("x"), document()))},
    {"int32", int32_field("int32", 5)},
    {"decimal", field(0x13, "decimal", text("sixteen bytes ok"))},
    {"least", field(0xff, "least", {})},
};

struct insert_parts {
  std::vector<bytes> whole;   ///< documents
  std::vector<bytes> pruned;  ///< with the selected fields only
};

insert_parts random_documents(std::mt19937& random, const std::vector<std::string>& selected) {
  insert_parts made;
  const std::size_t count = random() % 5;
  for (std::size_t i = 0; i < count; ++i) {
    bytes all;
    bytes some;
    for (std::size_t fields = random() % 6; fields != 0; --fields) {
      const auto& [name, content] = fields_of_all_types[random() % fields_of_all_types.size()];
      all = joined(all, content);
      if (std::find(selected.begin(), selected.end(), name) != selected.end()) {
        some = joined(some, content);
      }
    }
    made.whole.push_back(document(all));
    made.pruned.push_back(document(some));
  }
  return made;
}

bytes end_to_end(const std::vector<bytes>& documents) {
  bytes out;
  for (const bytes& one : documents) out = joined(out, one);
  return out;
}

bytes as_array(const std::vector<bytes>& documents) {
  bytes out;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    out = joined(out, field(0x03, std::to_string(i), documents[i]));
  }
  return document(out);
}

bytes with_sequence(const std::vector<bytes>& documents, std::uint32_t flags = 0) {
  return op_msg_bytes(
      flags,
      joined(body_section(document(string_field("insert", "c"), string_field("$db", "d"))),
             sequence_section("documents", end_to_end(documents))));
}

bytes with_array(const std::vector<bytes>& documents) {
  return op_msg_bytes(
      0, body_section(document(
             string_field("insert", "c"), field(0x04, "documents", as_array(documents)),
             field(0x08, "ordered", little(std::int8_t{1})), string_field("$db", "d"))));
}

/// Feeds the message in random pieces.
bool feed(message_digest& digest, const bytes& message, std::mt19937& random) {
  for (std::span<const std::byte> rest = message; !rest.empty();) {
    const std::size_t piece = std::min<std::size_t>(rest.size(), 1 + random() % 40);
    if (!digest.feed(rest.first(piece))) return false;
    rest = rest.subspan(piece);
  }
  return true;
}

bytes kept_of(const message_digest& digest) {
  return {digest.kept().begin(), digest.kept().end()};
}

TEST(message_digest, keeps_of_each_document_what_is_asked_for_however_the_bytes_come) {
  std::mt19937 random{20261121};
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::string> selected;
    for (const auto& [name, content] : fields_of_all_types) {
      if (random() % 3 == 0) selected.push_back(name);
    }
    std::ranges::sort(selected);
    const insert_parts documents = random_documents(random, selected);
    for (const auto& [whole, pruned] :
         {std::pair{with_sequence(documents.whole), with_sequence(documents.pruned)},
          std::pair{with_array(documents.whole), with_array(documents.pruned)}}) {
      message_digest digest{{of_insert, selected}};
      ASSERT_TRUE(feed(digest, whole, random)) << "round " << round;
      ASSERT_TRUE(digest.is_whole());
      EXPECT_EQ(kept_of(digest), pruned) << "round " << round;
      EXPECT_TRUE(parse_command(digest.header(), digest.kept()));
    }
  }
}

TEST(message_digest, leaves_a_checksum_out) {
  bytes message = with_sequence({document()}, msg_flag::checksum_present);
  message = joined(message, text("crc!"));
  store_little(message.data(), size_of(message));
  message_digest digest{{of_insert, {}}};
  ASSERT_TRUE(digest.feed(message));
  ASSERT_TRUE(digest.is_whole());
  EXPECT_EQ(kept_of(digest), with_sequence({document()}));
}

TEST(message_digest, keeps_nothing_when_it_is_given_up) {
  const bytes message = with_sequence({document(string_field("key", "x"))});
  message_digest digest{{of_insert, of_key}};
  ASSERT_TRUE(digest.feed(std::span{message}.first(60)));
  digest.give_up(wire_errc::too_large);
  EXPECT_FALSE(digest.is_valid_so_far());
  EXPECT_FALSE(digest.feed(std::span{message}.subspan(60)));
  EXPECT_FALSE(digest.is_whole());
  EXPECT_EQ(digest.error(), wire_errc::too_large);
  EXPECT_TRUE(digest.kept().empty());
}

TEST(message_digest, isn_t_whole_before_the_end) {
  const bytes message = with_array({document(int32_field("a", 1))});
  message_digest digest{{of_insert, of_a}};
  EXPECT_TRUE(digest.feed(std::span{message}.first(message.size() - 1)));
  EXPECT_FALSE(digest.is_whole());
  EXPECT_TRUE(digest.feed(std::span{message}.last(1)));
  EXPECT_TRUE(digest.is_whole());
}

struct broken_case {
  const char* name;
  bytes message;
  wire_errc error;
};

TEST(message_digest, follows_nothing_that_breaks_the_rules) {
  bytes short_document = document(int32_field("a", 1));
  store_little(short_document.data(), 8);
  bytes long_document = document(int32_field("a", 1));
  store_little(long_document.data(), 500);
  const bytes overrun = document(field(0x02, "a", joined(little(1'000), text("x"))));
  const bytes strange = document(field(0x42, "a", {}));
  const bytes long_name =
      joined(little(40), little(std::int8_t{1}), bytes(900, std::byte{'n'}));
  const std::vector<broken_case> cases = {
      {"a document shorter than its fields", with_sequence({short_document}),
       wire_errc::bad_bson},
      {"a document longer than its section", with_sequence({long_document}),
       wire_errc::bad_bson},
      {"a value longer than its document", with_sequence({overrun}), wire_errc::bad_bson},
      {"an unknown type", with_sequence({strange}), wire_errc::bad_bson},
      {"a name longer than its document", op_msg_bytes(0, body_section(long_name)),
       wire_errc::bad_bson},
      {"an unknown section", op_msg_bytes(0, joined(little(std::int8_t{7}), document())),
       wire_errc::unknown_section},
      {"a section without an end to its name",
       op_msg_bytes(0, joined(little(std::int8_t{1}), little(8), bytes(50, std::byte{'n'}))),
       wire_errc::bad_section},
      {"a section longer than its message",
       op_msg_bytes(0, joined(little(std::int8_t{1}), little(80), c_string("documents"))),
       wire_errc::bad_section},
      {"no section", op_msg_bytes(0, {}), wire_errc::short_message},
      {"a section cut short", op_msg_bytes(0, joined(little(std::int8_t{0}), little(50))),
       wire_errc::bad_bson},
      {"another opCode", op_query_bytes("d.c", document()), wire_errc::unexpected_opcode},
  };
  for (const broken_case& one : cases) {
    message_digest digest{{of_insert, of_a}};
    digest.feed(one.message);
    EXPECT_FALSE(digest.is_whole()) << one.name;
    EXPECT_EQ(digest.error(), one.error) << one.name;
  }
  message_digest digest{{of_insert, of_a}};
  digest.feed(joined(op_msg_bytes(0, body_section(long_name)), bytes(100)));
  EXPECT_LT(digest.kept().size(), 1'000U) << "its length says where a name must have ended";
}

/// An update of one statement, {q: {key: 1}, u: <update>}.
bytes update_with(const bytes& changes, int type = 0x03) {
  const bytes statement =
      document(field(0x03, "q", document(int32_field("key", 1))), field(type, "u", changes));
  return op_msg_bytes(0, joined(body_section(document(string_field("update", "c"))),
                                sequence_section("updates", statement)));
}

bytes binary_value(std::int8_t subtype, const bytes& content) {
  return joined(little(size_of(content)), little(subtype), content);
}

bytes repeated(std::size_t count, char letter = 'x') {
  return text(std::string(count, letter));
}

struct abridged_case {
  const char* name;
  bytes whole;  ///< an update
  bytes kept;
  int type = 0x03;  ///< of both
};

std::vector<abridged_case> abridged_cases() {
  const auto set = [](const bytes& fields) { return document(field(0x03, "$set", fields)); };
  const bytes many = [] {
    bytes items;
    for (int i = 0; i < 3'002; ++i) items = joined(items, int32_field("0", i));
    return items;
  }();
  const bytes as_many{many.begin(), many.begin() + size_of(many) / 3'002 * 3'000};
  const bytes name_list = document(string_field("0", "a"), string_field("1", "b"));
  return {
      {"short values", set(document(string_field("a", "x"), int32_field("b", 1))),
       set(document(string_field("a", "x"), int32_field("b", 1)))},
      {"a long text", set(document(string_field("a", std::string(5'000, 'x')))),
       set(document(string_field("a", std::string(255, 'x'))))},
      {"a text of just that length", set(document(string_field("a", std::string(255, 'x')))),
       set(document(string_field("a", std::string(255, 'x'))))},
      {"a long binary", set(document(field(0x05, "a", binary_value(0, repeated(5'000))))),
       set(document(field(0x05, "a", binary_value(0, repeated(256)))))},
      {"a long binary of the old kind",
       set(document(field(0x05, "a", binary_value(2, joined(little(4'996), repeated(4'996)))))),
       set(document(field(0x05, "a", binary_value(2, joined(little(4'996), repeated(252))))))},
      {"selected fields, wherever", set(document(string_field("key.x", std::string(500, 'y')))),
       set(document(string_field("key.x", std::string(500, 'y'))))},
      {"long code in a document in an array",
       set(document(field(
           0x04, "a",
           document(field(0x03, "0",
                          document(field(0x0d, "c", string_value(std::string(900, 'x'))))))))),
       set(document(field(
           0x04, "a",
           document(field(0x03, "0",
                          document(field(0x0d, "c", string_value(std::string(255, 'x')))))))))},
      {"a replacement",
       document(int32_field("a", 1), string_field("b", "x"), int32_field("key", 2),
                field(0x03, "c", document()), int32_field("d", 3)),
       document(int32_field("a", 1), int32_field("key", 2))},
      {"a replacement that begins with much",
       document(field(0x03, "m", document(int32_field("x", 1))), int32_field("key", 2)),
       document(field(0x03, "m", document()), int32_field("key", 2))},
      {"fields and operators",
       document(int32_field("a", 1), int32_field("b", 1),
                field(0x03, "$inc", document(int32_field("c", 1)))),
       document(int32_field("a", 1), field(0x03, "$inc", document()))},
      {"a long list", set(document(field(0x04, "a", document(many)))),
       set(document(field(0x04, "a", document(as_many))))},
      {"names in a list",
       document(field(0x03, "0", document(field(0x04, "$unset", name_list)))),
       document(field(0x03, "0", document(field(0x04, "$unset", name_list)))), 0x04},
      {"a pipeline of many stages", document(many), document(many), 0x04},
      {"a regex and a code with scope",
       set(document(field(0x0b, "a", joined(c_string("^a"), c_string("i"))),
                    field(0x0f, "b", joined(little(15), string_value("x"), document())))),
       set(document(field(0x0b, "a", joined(c_string("^a"), c_string("i"))),
                    field(0x0f, "b", joined(little(15), string_value("x"), document()))))},
  };
}

TEST(message_digest, abridges_updates_but_for_what_is_asked_for) {
  std::mt19937 random{20261122};
  for (const abridged_case& one : abridged_cases()) {
    for (int round = 0; round < 20; ++round) {
      message_digest digest{{of_update, of_key}};
      ASSERT_TRUE(feed(digest, update_with(one.whole, one.type), random)) << one.name;
      EXPECT_EQ(kept_of(digest), update_with(one.kept, one.type)) << one.name;
    }
    const auto command = [&](const bytes& changes) {
      return op_msg_bytes(0, body_section(document(string_field("findAndModify", "c"),
                                                   field(one.type, "update", changes))));
    };
    message_digest digest{{of_find_and_modify, of_key}};
    ASSERT_TRUE(feed(digest, command(one.whole), random)) << one.name;
    EXPECT_EQ(kept_of(digest), command(one.kept)) << one.name;
  }
}

TEST(message_digest, empties_what_is_nested_too_deep) {
  message_digest digest{{of_update, {}}};
  const auto set = [](const bytes& fields) { return document(field(0x03, "$set", fields)); };
  ASSERT_TRUE(digest.feed(update_with(set(nested_document(2'000)))));
  ASSERT_TRUE(digest.is_whole());
  // The statement is the first, the update the second, the operator's the third.
  EXPECT_EQ(kept_of(digest), update_with(set(nested_document(message_digest::max_depth - 2))));
}

TEST(message_digest, keeps_all_of_what_the_rules_don_t_name) {
  const bytes filters = joined(document(string_field("q", std::string(5'000, 'x'))),
                               document(field(0x04, "u", document(int32_field("0", 1)))));
  const bytes list = document(int32_field("0", 1), field(0x03, "1", document()));
  const std::vector<bytes> messages = {
      op_msg_bytes(0, joined(body_section(document(string_field("delete", "c"))),
                             sequence_section("deletes", filters))),
      op_msg_bytes(0,
                   joined(sequence_section("others", {}), sequence_section("deletes", filters),
                          body_section(document(string_field("delete", "c"))))),
      op_msg_bytes(0, body_section(document(string_field("find", "c"),
                                            field(0x03, "filter", document(filters))))),
      // Lists that hold something else than documents are for who judges them.
      op_msg_bytes(0, body_section(document(field(0x04, "updates", list)))),
      op_msg_bytes(0, body_section(document(string_field("updates", "x")))),
      op_msg_bytes(0, body_section(document(field(0x04, "", list), int32_field("", 1)))),
  };
  std::mt19937 random{1};
  const std::vector<std::span<const digest_part>> all_parts = {
      {}, of_update, of_find_and_modify};
  for (const auto& parts : all_parts) {
    for (const bytes& message : messages) {
      message_digest digest{{parts, of_key}};
      ASSERT_TRUE(feed(digest, message, random));
      EXPECT_EQ(kept_of(digest), message);
    }
  }
}

}  // namespace
}  // namespace scattergate::wire
