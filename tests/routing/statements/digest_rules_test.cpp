#include "routing/statements/digest_rules.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"
#include "tests/routing/random_commands.hpp"
#include "tests/routing/shape_support.hpp"
#include "tests/support/sanitizer.hpp"
#include "wire/command.hpp"

namespace scattergate::routing_tests {
namespace {

TEST(digest_rules, need_the_fields_that_keys_begin_with) {
  const auto entries = catalog_of(R"({"collections": [
      {"ns": "db.c", "key": {"b.x": 1, "a": 1}}, {"ns": "other.c", "key": {"b.y": 1}},
      {"ns": "db.d", "key": {"z": "hashed", "_id": 1}}, {"ns": "db.e"}]})");
  const std::vector<std::string> expected = {"_id", "a", "b", "z"};
  for (const auto& [command, parts] :
       std::vector<std::pair<std::string_view, std::size_t>>{{"insert", 1},
                                                             {"update", 1},
                                                             {"findandmodify", 1},
                                                             {"bulkWrite", 2},
                                                             {"delete", 0},
                                                             {"find", 0},
                                                             {"fantasy", 0}}) {
    const wire::digest_rules rules = digest_rules_for(command, *entries);
    EXPECT_EQ(rules.parts.size(), parts) << command;
    EXPECT_TRUE(std::ranges::equal(rules.relevant, expected));
  }
}

std::string judge(std::span<const std::byte> message, const routing::catalog& entries) {
  static lent_scratch lent;
  static lent_scratch for_shape;
  const auto header = wire::parse_header(message.first<wire::limits::header_bytes>()).value();
  const auto command = wire::parse_command(header, message).value();
  const auto made = routing::classify(command, entries, lent.memory());
  return verdict_text(made, routing::shape_hash(command, for_shape.memory()));
}

/// Writes with all that a digest abridges, in words of a command_source.
class write_source {
 public:
  explicit write_source(std::uint32_t seed) : words_(seed) {}

  [[nodiscard]] given_command next() {
    switch (words_.below(7)) {
      case 0:
        return {R"({"update": "c", "updates": [)" + statement() + ", " + statement() + "]" +
                    words_.rest(),
                {}};
      case 1:
        return {R"({"findAndModify": "c", "query": )" + words_.filter() + R"(, "update": )" +
                    update() + words_.rest(),
                {}};
      case 2:
        return {R"({"bulkWrite": 1, "ops": [)" + op() + ", " + op() +
                    R"(], "nsInfo": [{"ns": "db.c"}, {"ns": "db.d"}])" + words_.rest(),
                {}};
      case 3:
        return {R"({"insert": "c", "documents": [)" + document() + ", 5]" + words_.rest(), {}};
      case 4:
        return {R"({"insert": "c")" + words_.rest(), document()};
      case 5:
        return words_.next();
      default:
        return {R"({"update": "c")" + words_.rest(), statement()};
    }
  }

 private:
  [[nodiscard]] std::string statement() {
    return R"({"q": )" + words_.filter() + R"(, "u": )" + update() + rest_of_statement() + "}";
  }
  [[nodiscard]] std::string op() {
    const std::string index = words_.pick({"0", "1", "2"});
    if (words_.below(3) == 0) {
      return R"({"insert": )" + index + R"(, "document": )" + document() + "}";
    }
    return R"({"update": )" + index + R"(, "filter": )" + words_.filter() +
           R"(, "updateMods": )" + update() + rest_of_statement() + "}";
  }
  [[nodiscard]] std::string rest_of_statement() {
    return words_.pick({"", R"(, "multi": true)", R"(, "upsert": true)",
                        R"(, "collation": {"locale": "en"})", R"(, "u": 5)",
                        R"(, "arrayFilters": [{"e.x": 1}])", R"(, "c": {"v": 1})"});
  }
  [[nodiscard]] std::string field() {
    return '"' + words_.pick({words_.name(), words_.name(), "z", "l.$[e].x", "$odd"}) +
           R"(": )" + value();
  }
  [[nodiscard]] std::string document() {
    return "{" + field() + ", " + field() + ", " + field() + "}";
  }
  [[nodiscard]] std::string value() {
    if (words_.below(2) == 0) return words_.value();
    const std::string text(words_.below(2) == 0 ? 255 : 900, 'x');
    switch (words_.below(8)) {
      case 0:
        return '"' + text + '"';
      case 1:
        return R"({"k": ")" + text + R"(", "a": 1})";
      case 2:
        return R"(["$a", ")" + text + R"("])";
      case 3:
        return R"({"$each": [)" + document() + R"(], "$sort": {"a": 1}})";
      case 4:
      case 5:
        return list_of(words_.pick({"5", "null", "true", "{}", R"({"k": 1})"}));
      case 6:
        return R"({"$cond": [{"$eq": ["$a", ")" + text + R"("]}, 1, "$b.c"]})";
      default:
        return nested();
    }
  }
  [[nodiscard]] std::string list_of(const std::string& item) {
    std::string text = R"(["$a")";
    for (std::size_t left = words_.below(2) == 0 ? 1'100 : 3'100; left != 0; --left) {
      text += "," + item;
    }
    return text + R"(, "$last"])";
  }
  [[nodiscard]] std::string nested() {
    std::string text = "1";
    const std::size_t depth = 1 + words_.below(50);
    for (std::size_t i = 0; i < depth; ++i) text = R"({"n": )" + text + "}";
    return text;
  }
  [[nodiscard]] std::string update() {
    switch (words_.below(8)) {
      case 0:
        return document();
      case 1:
        return R"({"$set": )" + document() + R"(, "$inc": {")" + words_.name() + R"(": 1}})";
      case 2:
        return R"([{"$set": )" + document() + R"(}, {"$unset": ["z", ")" + words_.name() +
               R"("]}])";
      case 3:
        return R"({"$rename": {"z": ")" + words_.name() + R"("}})";
      case 4:
        return R"({"$push": )" + document() + R"(, "$setOnInsert": )" + document() + "}";
      case 5:
        return R"({"$unset": {")" + words_.name() + R"(": ""}, "z": 1})";
      case 6:
        return R"([{"$replaceWith": {"$mergeObjects": ["$$ROOT", )" + document() + "]}}]";
      default:
        return words_.pick({"{}", "[]", "5", R"("x")", R"({"a": 1})", R"({"_id": 2, "a": 1})"});
    }
  }

  command_source words_;
};

TEST(digest_rules, leave_out_nothing_that_decides) {
  std::size_t abridged = 0;
  for (std::size_t i = 0; i < key_catalogs().size(); ++i) {
    const auto entries = catalog_of(key_catalogs()[i]);
    write_source writes{static_cast<std::uint32_t>(i + 1)};
    for (unsigned n = 0; n < tests::repetitions(300); ++n) {
      const given_command given = writes.next();
      const wire_tests::bytes message = message_of(given);
      const auto name = wire::name_of_command(message);
      ASSERT_TRUE(name);
      wire::message_digest digest{digest_rules_for(*name, *entries)};
      ASSERT_TRUE(digest.feed(message));
      ASSERT_TRUE(digest.is_whole());
      ASSERT_EQ(judge(digest.kept(), *entries), judge(message, *entries))
          << given.body << ' ' << given.statement;
      abridged += digest.kept().size() < message.size();
    }
  }
  EXPECT_GT(abridged, tests::repetitions(1'000));
}

}  // namespace
}  // namespace scattergate::routing_tests
