#include <set>
#include <string>

#include <gtest/gtest.h>

#include "routing/pattern/pattern.hpp"
#include "tests/wire/messages.hpp"

namespace scattergate::routing {
namespace {

using namespace scattergate::wire_tests;

bytes find_of(const bytes& filter) {
  return body_section(document(string_field("find", "items"), field(0x03, "filter", filter),
                               string_field("$db", "app")));
}

bytes insert_of(const bytes& inserted) {
  return joined(
      body_section(document(string_field("insert", "items"), string_field("$db", "app"))),
      sequence_section("documents", inserted));
}

TEST(outline_hash, leaves_values_out) {
  EXPECT_EQ(outline_hash(find_of(document(int32_field("a", 1), string_field("b", "x")))),
            outline_hash(find_of(document(int32_field("a", 7), string_field("b", "longer")))));
}

TEST(outline_hash, distinguishes_names_types_and_order) {
  const bytes sections[] = {find_of(document(int32_field("a", 1))),
                            find_of(document(int32_field("b", 1))),
                            find_of(document(string_field("a", "1"))),
                            find_of(document(int32_field("a", 1), int32_field("b", 1))),
                            find_of(document(int32_field("b", 1), int32_field("a", 1))),
                            insert_of(document(int32_field("a", 1))),
                            insert_of(document(int32_field("b", 1)))};
  std::set<std::uint64_t> hashes;
  for (const bytes& each : sections) hashes.insert(outline_hash(each));
  EXPECT_EQ(hashes.size(), std::size(sections));
}

TEST(outline_hash, reads_names_of_any_length_to_their_end) {
  std::set<std::uint64_t> hashes;
  std::string name;
  for (int size = 0; size < 40; ++size, name += 'x') {
    for (const char last : {'a', 'b'}) {
      const std::uint64_t hash = outline_hash(find_of(document(int32_field(name + last, 1))));
      EXPECT_EQ(hash, outline_hash(find_of(document(int32_field(name + last, 0x61616161)))));
      hashes.insert(hash);
    }
  }
  EXPECT_EQ(hashes.size(), 80U);
}

TEST(outline_hash, leaves_out_what_an_inserted_document_holds_further_in) {
  EXPECT_EQ(outline_hash(insert_of(document(field(0x03, "a", document(int32_field("b", 1)))))),
            outline_hash(insert_of(document(field(0x03, "a", document(int32_field("c", 1)))))));
}

TEST(outline_hash, takes_any_bytes) {
  const bytes whole = insert_of(document(int32_field("a", 1)));
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    (void)outline_hash(std::span{whole}.first(size));
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    bytes broken = whole;
    broken[i] = std::byte{0xFF};
    (void)outline_hash(broken);
  }
}

}  // namespace
}  // namespace scattergate::routing
