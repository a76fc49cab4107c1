#include "tests/support/random_world.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace scattergate::tests {
namespace {

/// In MongoDB's order, so that splits can be drawn as rising positions.
const std::vector<std::string>& values() {
  static const std::vector<std::string> all{R"({"$minKey": 1})",
                                            "null",
                                            R"({"$numberDouble": "NaN"})",
                                            "-5",
                                            "0",
                                            "3",
                                            "7.5",
                                            "12",
                                            R"("")",
                                            R"("abc")",
                                            R"("m")",
                                            R"("zz")",
                                            R"({"k": 1})",
                                            "false",
                                            "true",
                                            R"({"$maxKey": 1})"};
  return all;
}

std::string in_quotes(std::string_view name) {
  return "\"" + std::string{name} + "\"";
}

}  // namespace

random_world::random_world(std::uint32_t seed) : random_{seed} {
  make_catalog();
}

std::size_t random_world::below(std::size_t bound) {
  return random_() % bound;
}

const std::string& random_world::value() {
  return values()[below(values().size())];
}

/// A value that is no document, and none of the ends of all types.
const std::string& random_world::scalar() {
  for (;;) {
    const std::string& one = value();
    if (!one.starts_with("{")) return one;
  }
}

void random_world::make_catalog() {
  static const std::vector<std::vector<std::string>> keys{
      {"a"}, {"a", "b"}, {"c.d"}, {"c.d", "a"}, {"b", "c.d"}};
  key_ = keys[below(keys.size())];
  const std::size_t hashed = below(3) == 0 ? below(key_.size()) : key_.size();
  std::string spec;
  for (std::size_t i = 0; i < key_.size(); ++i) {
    spec += (i > 0 ? "," : "") + in_quotes(key_[i]) + ":" + (i == hashed ? R"("hashed")" : "1");
  }
  // Rising first fields, and a few of them split again by the second.
  std::set<std::vector<std::size_t>> chosen;
  constexpr std::size_t hash_steps = 8;
  const auto position = [&](std::size_t field) {
    return field == hashed ? below(hash_steps) : 1 + below(values().size() - 2);
  };
  for (std::size_t n = below(6); n > 0; --n) {
    std::vector<std::size_t> split{position(0)};
    if (key_.size() > 1 && below(2) == 0) split.push_back(position(1));
    chosen.insert(split);
  }
  std::string splits;
  std::string shards = R"("0")";
  for (const auto& split : chosen) {
    std::string bound;
    for (std::size_t i = 0; i < split.size(); ++i) {
      const std::string text =
          i == hashed ? R"({"$numberLong": ")" +
                            std::to_string((static_cast<std::int64_t>(split[i]) - 4) *
                                           1'900'000'000'000'000'000) +
                            R"("})"
                      : values()[split[i]];
      bound += (i > 0 ? "," : "") + in_quotes(key_[i]) + ":" + text;
    }
    splits += (splits.empty() ? "" : ",") + ("{" + bound + "}");
    shards += ",\"" + std::to_string(below(4)) + "\"";
  }
  constexpr std::array<std::string_view, 5> versions{"8.0", "7.0", "4.4", "5.0.0", "8.2"};
  const std::string_view version = versions[below(versions.size())];
  takes_max_key_ = version != "4.4";
  catalog_ = R"({"version": ")" + std::string{version} +
             R"(", "collections": [{"ns": "db.c", "key": {)" + spec + R"(}, "splits": [)" +
             splits + R"(], "shards": [)" + shards + "]}]}";
}

std::vector<std::string> random_world::documents() {
  std::vector<std::string> made;
  const std::size_t choices = values().size() + 1;  // the last: missing
  const std::size_t second = key_.size() > 1 ? choices : 1;
  const auto field = [](const std::string& path, const std::string& text) {
    const std::size_t dot = path.find('.');
    if (dot == std::string::npos) return in_quotes(path) + ":" + text;
    return in_quotes(path.substr(0, dot)) + ":{" + in_quotes(path.substr(dot + 1)) + ":" +
           text + "}";
  };
  for (std::size_t i = 0; i < choices; ++i) {
    for (std::size_t j = 0; j < second; ++j) {
      std::string text = "\"x\":" + std::to_string(below(3));
      const bool is_end = i + 2 == choices && (second == 1 || j + 2 == choices);
      if (is_end && !takes_max_key_) continue;
      if (i + 1 < choices) text += "," + field(key_[0], values()[i]);
      if (key_.size() > 1 && j + 1 < choices) text += "," + field(key_[1], values()[j]);
      made.push_back("{" + text + "}");
    }
  }
  return made;
}

std::string random_world::path() {
  const std::size_t drawn = below(10);
  if (drawn < 6) return key_[0];
  if (drawn < 8) return key_.back();
  return drawn == 8 ? "x" : "a";
}

std::string random_world::list() {
  std::string text;
  for (std::size_t n = below(4); n > 0; --n) text += (text.empty() ? "" : ",") + value();
  return "[" + text + "]";
}

std::string random_world::comparison() {
  static const std::vector<std::string> names{"$gt", "$gte", "$lt", "$lte"};
  return in_quotes(names[below(names.size())]) + ":" + value();
}

/// The inside of an operator document.
std::string random_world::condition(int depth) {
  switch (below(depth > 0 ? 12 : 11)) {
    case 0:
      return R"("$eq":)" + value();
    case 1:
      return R"("$ne":)" + value();
    case 2:
      return R"("$in":)" + list();
    case 3:
      return R"("$nin":)" + list();
    case 4:
      return R"("$exists":)" + std::string{below(2) == 0 ? "true" : "false"};
    case 5: {
      static const std::vector<std::string> types{"number", "string", "null", "object", "bool"};
      return R"("~type":)" + in_quotes(types[below(types.size())]);
    }
    case 6:
      return R"("$mod":[3,0])";
    case 7:
      return R"("~regex":"^a")";
    case 8:
      return R"("$all":[)" + scalar() + "]";
    case 11:
      return R"("$not":{)" + condition(depth - 1) + "}";
    default:
      return comparison() + (below(2) == 0 ? "" : R"(,"$ne":)" + value());
  }
}

std::string random_world::predicate() {
  if (below(3) == 0) return in_quotes(path()) + ":" + value();
  return in_quotes(path()) + ":{" + condition(2) + "}";
}

std::string random_world::expression(int depth) {
  static const std::vector<std::string> names{"$eq", "$ne", "$gt", "$gte", "$lt", "$lte"};
  if (depth > 0 && below(3) == 0) {
    return std::string{below(2) == 0 ? R"({"$and":[)" : R"({"$or":[)"} + expression(depth - 1) +
           "," + expression(depth - 1) + "]}";
  }
  const std::string field = in_quotes("$" + path());
  const std::string constant = below(8) == 0 ? R"({"$minKey": 1})" : scalar();
  const bool swapped = below(3) == 0;
  return "{" + in_quotes(names[below(names.size())]) + ":[" + (swapped ? constant : field) +
         "," + (swapped ? field : constant) + "]}";
}

std::string random_world::tree(int depth) {
  const std::size_t drawn = below(7);
  if (drawn == 6) return R"("$expr":)" + expression(2);
  const std::string name = drawn < 2 ? "$and" : (drawn < 5 ? "$or" : "$nor");
  std::string branches;
  for (std::size_t n = 1 + below(3); n > 0; --n) {
    branches += (branches.empty() ? "{" : ",{") + conjunction(depth - 1) + "}";
  }
  return in_quotes(name) + ":[" + branches + "]";
}

std::string random_world::conjunction(int depth) {
  std::string text;
  for (std::size_t n = below(10) == 0 ? 0 : 1 + below(2); n > 0; --n) {
    text +=
        (text.empty() ? "" : ",") + (depth > 0 && below(3) == 0 ? tree(depth) : predicate());
  }
  return text;
}

std::string random_world::filter() {
  return "{" + conjunction(3) + "}";
}

}  // namespace scattergate::tests
