#include "digest/example_values.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace scattergate::digest {
namespace {

/// A placeholder, and a value of its type in mongosh.
struct placeholder {
  std::string_view name;
  std::string_view value;
};
constexpr std::array<placeholder, 18> placeholders = {{
    {"?number", "0"},
    {"?string", R"("")"},
    {"?objectId", R"(ObjectId("000000000000000000000000"))"},
    {"?uuid", R"(UUID("00000000-0000-0000-0000-000000000000"))"},
    {"?bool", "true"},
    {"?date", R"(ISODate("1970-01-01T00:00:00Z"))"},
    {"?null", "null"},
    {"?regex", "/^x/"},
    {"?binary", R"(BinData(0, ""))"},
    {"?timestamp", "Timestamp(0, 0)"},
    {"?javascript", R"(Code(""))"},
    {"?javascriptWithScope", R"(Code("", {}))"},
    {"?undefined", "undefined"},
    {"?minKey", "MinKey()"},
    {"?maxKey", "MaxKey()"},
    {"?object", "{}"},
    {"?document", "{}"},
    {"?symbol", R"("")"},
}};

/// Where a type's value is refused: behind this name, or in the document behind it.
struct exception {
  std::string_view name;
  std::string_view placeholder;
  std::string_view value;
};

/// mongo: db/pipeline/document_source_{limit,sample,bucket_auto,bucket,densify}.cpp,
/// db/matcher/expression_parser.cpp ($type, $mod),
/// db/query/{canonical_query,projection_parser}, db/update/pop_node.cpp,
/// db/pipeline/expression.cpp.
constexpr std::array<exception, 34> behind_name = {{
    {"$limit", "?number", "1"},
    {"$sample", "?number", "1"},
    {"size", "?number", "1"},
    {"buckets", "?number", "1"},
    {"boundaries", "?array<?number>", "[0, 1]"},
    {"granularity", "?string", R"("R5")"},
    {"step", "?number", "1"},
    {"unit", "?string", R"("day")"},
    {"timezone", "?string", R"("UTC")"},
    {"startOfWeek", "?string", R"("monday")"},
    {"to", "?string", R"("string")"},
    {"$mod", "?array<?number>", "[1, 1]"},
    {"$type", "?string", R"("string")"},
    {"$type", "?number", "2"},
    {"$type", "?array<?string>", R"(["string"])"},
    {"$type", "?array<?number>", "[2]"},
    {"$type", "?array<>", R"(["string", 2])"},
    {"hint", "?string", R"("_id_")"},
    {"$slice", "?number", "1"},
    {"$slice", "?array<?number>", "[0, 1]"},
    {"locale", "?string", R"("en")"},
    {"strength", "?number", "3"},
    {"$language", "?string", R"("none")"},
    {"$divide", "?array<?number>", "[1, 1]"},
    {"$subtract", "?array<?number>", "[1, 1]"},
    {"$pow", "?array<?number>", "[1, 1]"},
    {"$log", "?array<?number>", "[1, 2]"},
    {"$range", "?array<?number>", "[0, 1]"},
    {"$atan2", "?array<?number>", "[1, 1]"},
    {"$cmp", "?array<?number>", "[1, 1]"},
    {"$near", "?array<?number>", "[0, 0]"},
    {"$nearSphere", "?array<?number>", "[0, 0]"},
    {"$round", "?array<?number>", "[1, 0]"},
    {"$trunc", "?array<?number>", "[1, 0]"},
}};

constexpr std::array<exception, 7> in_document = {{
    {"$pop", "?number", "1"},
    {"sort", "?number", "1"},
    {"$sort", "?number", "1"},
    {"sortBy", "?number", "1"},
    {"hint", "?number", "1"},
    {"$currentDate", "?string", R"("date")"},
    {"collation", "?string", R"("en")"},
}};

constexpr std::string_view list_begins = "?array<";

template <std::size_t Count>
std::string_view exception_in(const std::array<exception, Count>& table, std::string_view name,
                              std::string_view placeholder) {
  const auto found = std::ranges::find_if(table, [&](const exception& one) {
    return one.name == name && one.placeholder == placeholder;
  });
  return found == table.end() ? std::string_view{} : found->value;
}

/// The value of a type, wherever it stands.
std::string value_of(std::string_view name) {
  if (name.starts_with(list_begins) && name.ends_with('>')) {
    const auto of = name.substr(list_begins.size(), name.size() - list_begins.size() - 1);
    return of.empty() ? "[]" : "[" + value_of(of) + "]";
  }
  const auto known = std::ranges::find(placeholders, name, &placeholder::name);
  if (known == placeholders.end()) return "\"" + std::string{name} + "\"";
  return std::string{known->value} + " /*" + std::string{name} + "*/";
}

/// Writes a shape with values, and knows behind which names it is.
class value_writer {
 public:
  explicit value_writer(std::string_view shape) : shape_(shape) {}

  [[nodiscard]] std::string whole() {
    while (at_ < shape_.size()) {
      const char letter = shape_[at_];
      if (letter == '"') {
        write_text();
        continue;
      }
      ++at_;
      if (letter == '{' || letter == '[') open(letter);
      if (letter == '}' || letter == ']') close(letter);
      if (letter != '{' && letter != '[' && letter != '}' && letter != ']') text_ += letter;
    }
    return std::move(text_);
  }

 private:
  struct nesting {
    std::string_view name;  ///< behind which it stands
    bool is_statement = false;
    bool has_filter = false;
    bool is_empty = true;
  };

  void open(char bracket) {
    text_ += bracket;
    // An item of `updates` or `deletes`: their list is the command's own.
    const bool is_statement =
        bracket == '{' && open_.size() == 1 &&
        (open_.front().name == "updates" || open_.front().name == "deletes");
    if (!open_.empty()) open_.back().is_empty = false;
    open_.push_back({name_, is_statement});
    // What stands in a list stands behind the list's name.
    if (bracket == '{') name_ = {};
  }

  void close(char bracket) {
    if (open_.empty()) {
      text_ += bracket;
      return;
    }
    const nesting& closed = open_.back();
    if (closed.is_statement && !closed.has_filter)
      text_ += closed.is_empty ? R"("q":{})" : R"(,"q":{})";
    text_ += bracket;
    name_ = closed.name;
    open_.pop_back();
  }

  void write_text() {
    std::size_t end = at_ + 1;
    while (end < shape_.size() && shape_[end] != '"') end += shape_[end] == '\\' ? 2 : 1;
    end = std::min(end + 1, shape_.size());
    const std::string_view quoted = shape_.substr(at_, end - at_);
    const std::string_view inside = quoted.substr(1, quoted.size() < 2 ? 0 : quoted.size() - 2);
    at_ = end;
    if (!open_.empty()) open_.back().is_empty = false;
    if (end < shape_.size() && shape_[end] == ':') {
      name_ = inside;
      if (!open_.empty() && inside == "q") open_.back().has_filter = true;
      text_ += quoted;
    } else {
      text_ += inside.starts_with('?') ? placed(inside) : std::string{quoted};
    }
  }

  [[nodiscard]] bool is_inside(std::string_view name) const {
    return std::ranges::any_of(open_, [&](const nesting& one) { return one.name == name; });
  }

  /// The value where it stands.
  [[nodiscard]] std::string placed(std::string_view name) const {
    std::string_view value;
    for (const exception& one : in_document) {
      if (one.placeholder == name && is_inside(one.name)) value = one.value;
    }
    if (value.empty()) value = exception_in(behind_name, name_, name);
    if (value.empty()) return value_of(name);
    return std::string{value} + " /*" + std::string{name} + "*/";
  }

  std::string_view shape_;
  std::size_t at_ = 0;
  std::string_view name_;      ///< what stands here stands behind it
  std::vector<nesting> open_;  ///< documents and lists, the outermost first
  std::string text_;
};

}  // namespace

std::string with_values(std::string_view shape) {
  return value_writer{shape}.whole();
}

}  // namespace scattergate::digest
