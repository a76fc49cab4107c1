#include "wire/bson_stream.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/wire/messages.hpp"

namespace scattergate::wire {
namespace {

using namespace scattergate::wire_tests;

/// Writes down each call; enters what is called "in".
struct scribe {
  void begin_document(std::uint32_t) { notes += "{"; }
  void begin_field() { name.clear(); }
  void take_name(std::span<const std::byte> piece) {
    name.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  }
  bool enters() {
    notes += name + ":";
    return name == "in";
  }
  bool take_length(std::uint32_t length) {
    notes += std::to_string(length) + "/";
    return length != 99;
  }
  void take_value(std::span<const std::byte> piece) { taken += piece.size(); }
  void end_value() {
    notes += std::to_string(taken) + " ";
    taken = 0;
  }
  void end_document() { notes += "}"; }

  std::string notes, name;
  std::size_t taken = 0;
};

struct stream_outcome {
  std::string notes;
  bool has_ended;
  std::size_t left;  ///< behind the document
};

stream_outcome follow(const bytes& whole, std::size_t piece_bytes, std::size_t room) {
  bson_stream<2> stream;
  scribe to;
  stream.begin(room);
  std::span<const std::byte> rest{whole};
  while (stream.is_open() && !rest.empty()) {
    auto piece = rest.first(std::min(piece_bytes, rest.size()));
    const std::size_t before = piece.size();
    stream.feed(piece, to);
    rest = rest.subspan(before - piece.size());
  }
  return {to.notes, stream.has_ended(), rest.size()};
}

stream_outcome follow(const bytes& whole, std::size_t room = 1000) {
  const stream_outcome at_once = follow(whole, whole.size(), room);
  for (const std::size_t piece : {1U, 2U, 3U, 7U}) {
    const stream_outcome in_pieces = follow(whole, piece, room);
    EXPECT_EQ(in_pieces.has_ended, at_once.has_ended) << piece;
    if (at_once.has_ended) {
      EXPECT_EQ(in_pieces.notes, at_once.notes) << piece;
      EXPECT_EQ(in_pieces.left, at_once.left) << piece;
    }
  }
  return at_once;
}

TEST(bson_stream, reports_each_field_and_the_documents_that_are_entered) {
  const bytes whole =
      document(int32_field("a", 1), string_field("b", "text"), field(0x0a, "none", {}),
               field(0x03, "in", document(int32_field("c", 2))), field(0x03, "out", document()),
               field(0x0b, "regex", joined(c_string("^a"), c_string("im"))));
  EXPECT_EQ(follow(whole).notes, "{a:4 b:5/5 none:0 in:{c:4 }out:5/1 regex:6 }");
  EXPECT_TRUE(follow(whole).has_ended);
}

TEST(bson_stream, leaves_what_stands_behind_the_document) {
  EXPECT_EQ(follow(joined(document(int32_field("a", 1)), bytes(9))).left, 9U);
}

TEST(bson_stream, enters_no_deeper_than_it_may) {
  const bytes deepest = document(field(0x03, "in", document()));
  EXPECT_TRUE(follow(deepest).has_ended);
  EXPECT_FALSE(follow(document(field(0x03, "in", deepest))).has_ended);
}

TEST(bson_stream, takes_no_more_than_there_is_room_for) {
  const bytes whole = document(int32_field("a", 1));
  EXPECT_TRUE(follow(whole, whole.size()).has_ended);
  EXPECT_FALSE(follow(whole, whole.size() - 1).has_ended);
}

TEST(bson_stream, ends_at_a_length_that_the_visitor_calls_broken) {
  EXPECT_TRUE(follow(document(string_field("a", std::string(97, 'x')))).has_ended);
  EXPECT_FALSE(follow(document(string_field("a", std::string(98, 'x')))).has_ended);
}

TEST(bson_stream, is_broken_where_a_field_overruns_its_document) {
  const bytes whole = document(field(0x03, "in", document(int32_field("c", 2))),
                               string_field("b", "text"), field(0x0a, "none", {}));
  ASSERT_TRUE(follow(whole).has_ended);
  for (std::size_t shorter = limits::min_document_bytes; shorter < whole.size(); ++shorter) {
    bytes cut = whole;
    store_little(cut.data(), static_cast<std::int32_t>(shorter));
    EXPECT_FALSE(follow(cut).has_ended) << shorter;
  }
  for (std::int32_t longer = 0; longer < 64; ++longer) {
    bytes off = whole;
    const auto inner = std::size_t{4 + 1 + 3};  // behind the length, a type and "in"
    if (load_little<std::int32_t>(off.data() + inner) == longer) continue;
    store_little(off.data() + inner, longer);
    EXPECT_FALSE(follow(off).has_ended) << longer;
  }
}

}  // namespace
}  // namespace scattergate::wire
