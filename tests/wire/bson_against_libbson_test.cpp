#include "wire/bson.hpp"

#include <random>

#include <bson/bson.h>
#include <gtest/gtest.h>

#include "tests/wire/messages.hpp"

/// libbson's iterator is the second opinion on what a valid element is.
namespace scattergate::wire {
namespace {

using namespace scattergate::wire_tests;

/// The elements of a walk: where each value begins and ends, and how the walk ended.
struct walk_outcome {
  std::vector<std::size_t> offsets;
  bool sound = true;
  friend bool operator==(const walk_outcome&, const walk_outcome&) = default;
};

walk_outcome by_us(document_view document) {
  walk_outcome found;
  document_reader reader{document};
  for (element field; reader.next(field);) {
    const auto begin = field.value().data() - document.bytes().data();
    found.offsets.push_back(static_cast<std::size_t>(begin));
    found.offsets.push_back(static_cast<std::size_t>(begin) + field.value().size());
  }
  found.sound = !reader.is_corrupt();
  return found;
}

/// With libbson's two traps closed: it takes a second end mark for the end, and steps over an
/// embedded document without looking at its frame.
walk_outcome by_libbson(document_view document) {
  walk_outcome found;
  bson_iter_t iter;
  const auto* data = reinterpret_cast<const std::uint8_t*>(document.bytes().data());
  if (!bson_iter_init_from_data(&iter, data, document.size_bytes())) return {{}, false};
  while (bson_iter_next(&iter)) {
    const auto type = static_cast<bson_type>(data[iter.type]);
    const bool is_nested = type == bson_type::document || type == bson_type::array;
    const auto value = document.bytes().subspan(iter.d1, iter.next_off - iter.d1);
    if (is_nested && !document_view::from(value)) return {found.offsets, false};
    found.offsets.push_back(iter.d1);
    found.offsets.push_back(iter.next_off);
  }
  found.sound = iter.err_off == 0 && iter.off + 1 == document.size_bytes();
  return found;
}

bytes binary(std::int8_t subtype, const bytes& content) {
  return joined(little(size_of(content)), little(subtype), content);
}

/// A document with a value of every type, the awkward ones twice.
bytes document_of_every_type() {
  const bytes scoped =
      joined(little(std::int32_t{4 + 4 + 2 + 5}), string_value("f"), document());
  const bytes fields[] = {field(0x01, "a", little(1.5)),
                          field(0x02, "longer name", string_value("text")),
                          field(0x03, "c", document(int32_field("x", 1))),
                          field(0x04, "", document()),
                          field(0x05, "e", binary(0, text("abc"))),
                          field(0x06, "g", {}),
                          field(0x07, "h", bytes(12)),
                          field(0x08, "i", little(std::int8_t{1})),
                          field(0x09, "j", little(std::int64_t{1})),
                          field(0x0a, "k", {}),
                          field(0x0b, "l", joined(c_string("^a"), c_string("i"))),
                          field(0x0c, "m", joined(string_value("db.c"), bytes(12))),
                          field(0x0d, "n", string_value("code")),
                          field(0x0e, "o", string_value("")),
                          field(0x0f, "p", scoped),
                          int32_field("q", 1),
                          field(0x11, "r", little(std::int64_t{1})),
                          field(0x12, "s", little(std::int64_t{1})),
                          field(0x13, "t", bytes(16)),
                          field(0x7f, "u", {}),
                          field(0xff, "v", {}),
                          field(0x0b, "w", bytes(2)),
                          field(0x0f, "x", scoped),
                          field(0x02, "y", string_value("z"))};
  bytes content;
  for (const bytes& each : fields) content = joined(content, each);
  return document(content);
}

/// libbson checks the length within a binary of subtype 2; MongoDB's validation doesn't.
bool has_old_binary(document_view document) {
  constexpr std::byte old_binary{2};
  document_reader reader{document};
  for (element field; reader.next(field);) {
    if (field.type() == bson_type::binary && field.value()[4] == old_binary) return true;
  }
  return false;
}

TEST(document_reader, agrees_with_libbson_on_documents_with_bytes_changed_at_random) {
  std::mt19937 random{7};
  const auto below = [&](std::size_t bound) { return random() % bound; };
  const bytes sound = document_of_every_type();
  ASSERT_TRUE(by_us(document_view::from(sound).value()).sound);
  std::size_t sound_count = 0;
  for (int round = 0; round != 200'000; ++round) {
    bytes changed = sound;
    for (std::size_t left = below(4); left-- != 0;) {
      // Mostly small numbers: lengths, types and NULs.
      const auto value = static_cast<std::byte>(below(below(2) == 0 ? 24 : 256));
      changed[4 + below(changed.size() - 5)] = value;
    }
    const document_view view = document_view::from(changed).value();
    if (has_old_binary(view)) continue;
    const walk_outcome ours = by_us(view);
    ASSERT_EQ(ours, by_libbson(view)) << "round " << round;
    sound_count += ours.sound ? 1 : 0;
  }
  EXPECT_GT(sound_count, 50'000U);
  EXPECT_LT(sound_count, 150'000U);
}

}  // namespace
}  // namespace scattergate::wire
