#include "wire/insert_digest.hpp"

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

constexpr std::size_t plenty = 1 << 20;

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
  std::vector<bytes> pruned;  ///< the same with the wanted fields only
};

insert_parts random_documents(std::mt19937& random, const std::vector<std::string>& wanted) {
  insert_parts made;
  const std::size_t count = random() % 5;
  for (std::size_t i = 0; i < count; ++i) {
    bytes all;
    bytes some;
    for (std::size_t fields = random() % 6; fields != 0; --fields) {
      const auto& [name, content] = fields_of_all_types[random() % fields_of_all_types.size()];
      all = joined(all, content);
      if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) {
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
bool feed(insert_digest& digest, const bytes& message, std::mt19937& random) {
  for (std::span<const std::byte> rest = message; !rest.empty();) {
    const std::size_t piece = std::min<std::size_t>(rest.size(), 1 + random() % 40);
    if (!digest.feed(rest.first(piece))) return false;
    rest = rest.subspan(piece);
  }
  return true;
}

bytes kept_of(const insert_digest& digest) {
  return {digest.kept().begin(), digest.kept().end()};
}

TEST(insert_digest, keeps_of_each_document_what_is_asked_for_however_the_bytes_come) {
  std::mt19937 random{20261121};
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::string> wanted;
    for (const auto& [name, content] : fields_of_all_types) {
      if (random() % 3 == 0) wanted.push_back(name);
    }
    const insert_parts documents = random_documents(random, wanted);
    for (const auto& [whole, pruned] :
         {std::pair{with_sequence(documents.whole), with_sequence(documents.pruned)},
          std::pair{with_array(documents.whole), with_array(documents.pruned)}}) {
      insert_digest digest{wanted, plenty};
      ASSERT_TRUE(feed(digest, whole, random)) << "round " << round;
      ASSERT_TRUE(digest.is_whole());
      EXPECT_EQ(kept_of(digest), pruned) << "round " << round;
      EXPECT_TRUE(parse_command(digest.header(), digest.kept()));
    }
  }
}

TEST(insert_digest, leaves_a_checksum_out) {
  bytes message = with_sequence({document()}, msg_flag::checksum_present);
  message = joined(message, text("crc!"));
  store_little(message.data(), size_of(message));
  insert_digest digest{{}, plenty};
  ASSERT_TRUE(digest.feed(message));
  ASSERT_TRUE(digest.is_whole());
  EXPECT_EQ(kept_of(digest), with_sequence({document()}));
}

TEST(insert_digest, gives_up_where_it_would_have_to_keep_too_much) {
  const bytes large = document(string_field("key", std::string(5'000, 'x')));
  insert_digest careless{{}, 1'000};
  EXPECT_TRUE(careless.feed(with_sequence({large})));
  insert_digest careful{{"key"}, 1'000};
  EXPECT_FALSE(careful.feed(with_sequence({large})));
  EXPECT_FALSE(careful.is_whole());
  const std::vector<bytes> many(500, document());
  insert_digest flooded{{}, 1'000};
  EXPECT_FALSE(flooded.feed(with_sequence(many)));
}

TEST(insert_digest, isn_t_whole_before_the_end) {
  const bytes message = with_array({document(int32_field("a", 1))});
  insert_digest digest{{"a"}, plenty};
  EXPECT_TRUE(digest.feed(std::span{message}.first(message.size() - 1)));
  EXPECT_FALSE(digest.is_whole());
  EXPECT_TRUE(digest.feed(std::span{message}.last(1)));
  EXPECT_TRUE(digest.is_whole());
}

struct broken_case {
  const char* name;
  bytes message;
};

TEST(insert_digest, follows_nothing_that_breaks_the_rules) {
  bytes short_document = document(int32_field("a", 1));
  store_little(short_document.data(), 8);
  bytes long_document = document(int32_field("a", 1));
  store_little(long_document.data(), 500);
  const bytes overrun = document(field(0x02, "a", joined(little(1'000), text("x"))));
  const bytes strange = document(field(0x42, "a", {}));
  const bytes numbers = document(string_field("insert", "c"),
                                 field(0x04, "documents", document(int32_field("0", 1))));
  const std::vector<broken_case> cases = {
      {"a document shorter than its fields", with_sequence({short_document})},
      {"a document longer than its section", with_sequence({long_document})},
      {"a value longer than its document", with_sequence({overrun})},
      {"an unknown type", with_sequence({strange})},
      {"numbers for documents", op_msg_bytes(0, body_section(numbers))},
      {"an unknown section", op_msg_bytes(0, joined(little(std::int8_t{7}), document()))},
      {"no section", op_msg_bytes(0, {})},
      {"another opCode", op_query_bytes("d.c", document())},
  };
  for (const broken_case& one : cases) {
    insert_digest digest{{"a"}, plenty};
    digest.feed(one.message);
    EXPECT_FALSE(digest.is_whole()) << one.name;
  }
}

TEST(insert_target, names_the_collection_of_an_insert) {
  const bytes message = with_sequence({});
  EXPECT_EQ(insert_target(message), "c");
  EXPECT_FALSE(insert_target(std::span{message}.first(30)));
  const bytes find = op_msg_bytes(0, body_section(document(string_field("find", "c"))));
  EXPECT_FALSE(insert_target(find));
  const bytes sequence_first = op_msg_bytes(0, sequence_section("documents", document()));
  EXPECT_FALSE(insert_target(sequence_first));
}

}  // namespace
}  // namespace scattergate::wire
