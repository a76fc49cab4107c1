#include "digest/sketches/stored_sketches.hpp"

#include <gtest/gtest.h>

#include "digest/stored.hpp"
#include "tests/digest/sketches/sketch_streams.hpp"
#include "wire/crc32c.hpp"

namespace scattergate::digest {
namespace {

sketch_set some_set() {
  sketch_set made{some_salt.id()};
  collection_sketches& orders = *made.find_or_add("shop", "orders");
  std::uint64_t n = 0;
  for (const std::uint64_t tenant : zipf(2'000, 300, 1)) {
    orders.advance(static_cast<std::int64_t>(n / 500));
    pin(orders, {{"tenant", tenant}, {"_id", ++n}});
    if (n % 4 == 0) pin(orders, {{"_id", n}, {"tenant", tenant}}, true);
  }
  pin(*made.find_or_add("shop", "\xff\"\n"), {{"a.b\"\n\xfe", 1}});
  return made;
}

TEST(stored_sketches, are_read_as_they_were_written) {
  const sketch_set of = some_set();
  const std::string text = stored_sketches(of);
  const auto read = read_stored_sketches(text);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->salt_id(), some_salt.id());
  EXPECT_TRUE(stored_sketches(*read) == text);
  const collection_sketches& orders = *read->find("shop", "orders");
  EXPECT_EQ(orders.requests(), 2'500U);
  EXPECT_EQ(orders.fields().size(), 2U);
  EXPECT_EQ(orders.pairs().size(), 1U);
  for (const auto& each : orders.fields()) {
    EXPECT_EQ(each.of.pinned, 2'000U);
    EXPECT_EQ(each.of.values.minutes(0).requests, 2'500U);
    EXPECT_TRUE(each.of.order && each.of.order->is_of_inserts);
  }
  EXPECT_TRUE(stored_sketches(sketch_set{1}).empty());
}

TEST(stored_sketches, of_a_full_collection_are_read) {
  sketch_set of{1};
  collection_sketches& full = *of.find_or_add("shop", "orders");
  for (int n = 0; n < 200; ++n) {
    for (int i = 0; i < 8; i += 2) {
      pin(full, {{"f" + std::to_string(i), 1}, {"f" + std::to_string(i + 1), 1}});
    }
  }
  EXPECT_EQ(full.fields().size(), 8U);
  const std::string text = stored_sketches(of);
  const auto read = read_stored_sketches(text);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_TRUE(stored_sketches(*read) == text);
}

TEST(stored_sketches, have_no_value) {
  sketch_set of{some_salt.id()};
  pin(*of.find_or_add("shop", "orders"), {{"tenant", 1'234'567'890'123}});
  EXPECT_EQ(stored_sketches(of).find("1234567890123"), std::string::npos);
}

TEST(stored_sketches, are_found_behind_a_digest) {
  const std::string text = stored_sketches(some_set());
  const std::string digest = stored_text(table{10});
  const std::string behind = "{\"type\":\"scattergate.history\"}\n{\"end\":true}\n";
  EXPECT_TRUE(sketches_in(digest + text + behind) == text);
  EXPECT_TRUE(sketches_in(text) == text);
  EXPECT_EQ(sketches_in(digest + behind), "");
  EXPECT_EQ(sketches_in(""), "");
  EXPECT_FALSE(read_stored(digest + text + behind, 10).end) << "older readers skip them";
}

TEST(stored_sketches, are_refused_if_a_byte_is_missing_or_wrong) {
  sketch_set of{some_salt.id()};
  pin(*of.find_or_add("shop", "orders"), {{"tenant", 1}, {"_id", 2}});
  const std::string text = stored_sketches(of);
  for (std::size_t size = 0; size + 1 < text.size(); size += 97) {
    EXPECT_FALSE(read_stored_sketches(text.substr(0, size))) << size;
  }
  for (std::size_t at = 0; at + 1 < text.size(); at += 31) {
    std::string other = text;
    other[at] = other[at] == 'x' ? 'y' : 'x';
    EXPECT_FALSE(read_stored_sketches(other)) << at;
  }
}

/// With the right checksum.
std::string sealed(std::string lines) {
  const std::uint32_t sum = wire::crc32c(0, std::as_bytes(std::span{lines}));
  return lines + R"({"end":true,"crc32c":")" + hex_text(sum, 8) + "\"}\n";
}

TEST(stored_sketches, are_refused_with_impossible_contents) {
  const std::string head =
      R"({"type":"scattergate.sketches","schemaVersion":1,"salt":"00000000000000aa","collections":1})"
      "\n";
  const std::string distinct = cardinality{}.text();
  const auto collection = [&](const std::string& field) {
    return head + R"({"database":"shop","collection":"orders","requests":9,"fields":[)" +
           R"({"path":"a","requests":9,"pinned":9,"distinct":")" + distinct + "\"," + field +
           "}],\"pairs\":[]}\n";
  };
  EXPECT_TRUE(read_stored_sketches(
      sealed(collection(R"("total":5,"commonest":[["0000000a",5,0]],"minutes":[9,5])"))));
  for (const char* const wrong : {
           R"("total":4,"commonest":[["0000000a",5,0]],"minutes":[9,5])",
           R"("total":5,"commonest":[["0000000a",5,6]],"minutes":[9,5])",
           R"("total":5,"commonest":[["000000a",5,0]],"minutes":[9,5])",
           R"("total":9,"commonest":[["0000000a",5,0],["0000000a",4,0]],"minutes":[9,5])",
           R"("total":5,"commonest":[["0000000a",5]],"minutes":[9,5])",
           R"("total":5,"commonest":[],"minutes":[9,10])",
           R"("total":5,"commonest":[],"minutes":[9])",
           R"("total":5,"commonest":[],"minutes":[9,5],"order":[9,"1.1",true])",
           R"("total":5,"commonest":[],"minutes":[9,5],"order":[9,"nan",true])",
           R"("total":5,"commonest":[],"minutes":[9,5],"order":[9,1,true])",
           R"("total":-5,"commonest":[],"minutes":[9,5])",
           R"("total":5,"commonest":5,"minutes":[9,5])",
       }) {
    EXPECT_FALSE(read_stored_sketches(sealed(collection(wrong)))) << wrong;
  }
  EXPECT_FALSE(read_stored_sketches(sealed(head))) << "a collection is missing";
  std::string newer = collection(R"("total":5,"commonest":[],"minutes":[9,5])");
  newer.replace(newer.find("Version\":1"), 10, "Version\":2");
  const auto read = read_stored_sketches(sealed(newer));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().what.find("newer version"), std::string::npos);
}

}  // namespace
}  // namespace scattergate::digest
