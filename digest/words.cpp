#include "digest/words.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "routing/shape/shape.hpp"
#include "routing/text/json_text.hpp"

namespace scattergate::digest {
namespace {

using routing::command_kind;

/// A placeholder of a shape (docs/shapes.md), and a value of its type in mongosh.
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

constexpr std::string_view list_begins = "?array<";

/// The value that a placeholder stands for, the placeholder beside it as a comment.
std::string value_of(std::string_view name) {
  if (name.starts_with(list_begins) && name.ends_with('>')) {
    const auto of = name.substr(list_begins.size(), name.size() - list_begins.size() - 1);
    return of.empty() ? "[]" : "[" + value_of(of) + "]";
  }
  const auto known = std::find_if(placeholders.begin(), placeholders.end(),
                                  [&](const placeholder& one) { return one.name == name; });
  if (known == placeholders.end()) return "\"" + std::string{name} + "\"";
  return std::string{known->value} + " /*" + std::string{name} + "*/";
}

/// The shape with values in place of its placeholders. A name stays as it is.
std::string with_values(std::string_view shape) {
  std::string text;
  for (std::size_t at = 0; at < shape.size();) {
    if (shape[at] != '"') {
      text += shape[at++];
      continue;
    }
    std::size_t end = at + 1;
    while (end < shape.size() && shape[end] != '"') end += shape[end] == '\\' ? 2 : 1;
    end = std::min(end + 1, shape.size());
    const std::string_view quoted = shape.substr(at, end - at);
    const bool is_name = end < shape.size() && shape[end] == ':';
    const bool is_placeholder = quoted.starts_with("\"?") && !is_name;
    text +=
        is_placeholder ? value_of(quoted.substr(1, quoted.size() - 2)) : std::string{quoted};
    at = end;
  }
  return text;
}

}  // namespace

bool is_explained(command_kind command) noexcept {
  switch (command) {
    case command_kind::find:
    case command_kind::count:
    case command_kind::distinct:
    case command_kind::aggregate:
    case command_kind::update:
    case command_kind::delete_:
    case command_kind::find_and_modify:
      return true;
    default:
      return false;
  }
}

std::string explain_text(const row& of) {
  const auto command = routing::kind_of(of.command);
  const std::string_view shape = of.what.shape_json;
  if (!is_explained(command) || shape.size() < 2 || of.collection.empty()) return {};
  if (shape.find("\"...\"") != shape.npos) return {};         // it was cut
  if (shape.starts_with(R"({"statements":"not)")) return {};  // nothing to be asked about
  std::string text = "db.getSiblingDB(";
  routing::append_json_string(text, of.database);
  text += ").runCommand({explain: {" + of.command + ": ";
  routing::append_json_string(text, of.collection);
  if (shape != "{}") text += ", " + with_values(shape.substr(1, shape.size() - 2));
  if (command == command_kind::aggregate) text += ", cursor: {}";
  return text + R"(}, verbosity: "queryPlanner"}))";
}

std::string accept_rule(const row& of) {
  std::string text = "- {name: accept-" + routing::shape_hash_text(of.shape_hash);
  text += ", match: {namespace: ";
  routing::append_json_string(text, of.name_space());
  text += ", shape: " + routing::shape_hash_text(of.shape_hash);
  return text + R"(}, action: accept, why: "TODO"})";
}

std::string one_line(const row& of) {
  const std::string& shape = of.what.shape_json;
  return of.command + " " + of.name_space() + (shape.empty() ? "" : " " + shape);
}

std::string missing_text(const row& of) {
  std::string text;
  for (const std::string& field : of.what.missing) text += (text.empty() ? "" : ", ") + field;
  return text;
}

std::string caller_text(const caller& of) {
  std::string text;
  for (const std::string* part : {&of.app_name, &of.user, &of.remote, &of.comment}) {
    if (!part->empty()) text += (text.empty() ? "" : " ") + *part;
  }
  return text;
}

std::chrono::nanoseconds quantile(const row& of, double share) noexcept {
  return std::min(of.times.quantile(share), of.longest);
}

}  // namespace scattergate::digest
