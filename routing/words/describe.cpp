#include "routing/words/describe.hpp"

#include <algorithm>
#include <span>

#include "routing/command_kind.hpp"
#include "routing/shape/shape.hpp"
#include "text/json_text.hpp"

namespace scattergate::routing {

namespace {

void append_string_list(std::string& to, std::span<const std::string> texts) {
  to += '[';
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i != 0) to += ',';
    text::append_json_string(to, texts[i]);
  }
  to += ']';
}

/// A string, or null where it is empty.
void append_text(std::string& to, std::string_view text) {
  if (text.empty()) {
    to += "null";
  } else {
    text::append_json_string(to, text);
  }
}

void append_shards(std::string& to, const std::optional<shard_set>& shards,
                   const catalog& catalog) {
  if (shards) {
    append_string_list(to, shard_names(*shards, catalog));
  } else {
    to += "null";
  }
}

std::string namespace_of(const verdict& verdict) {
  if (verdict.database.empty()) return std::string{verdict.collection};
  return verdict.ns().full_name();
}

/// `"name":`, behind a comma unless it is the first.
void append_name(std::string& to, std::string_view name) {
  to += to.size() == 1 ? "\"" : ",\"";
  to += name;
  to += "\":";
}

/// For a terminal: control characters and broken UTF-8 can't do harm there.
void append_shown(std::string& to, std::span<const std::string> texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i != 0) to += ", ";
    text::append_json_inside(to, texts[i]);
  }
}

/// A sentence for people, without control characters; its quotes stay as they are.
std::string sentence_shown(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('"'), text.size());
    text::append_json_inside(safe, text.substr(0, end));
    if (end != text.size()) safe += '"';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return safe;
}

}  // namespace

std::vector<std::string> missing_fields(const verdict& verdict) {
  std::vector<std::string> missing;
  if (verdict.judged == nullptr) return missing;
  const auto& key = verdict.judged->key;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (verdict.misses(i)) missing.push_back(key[i].path);
  }
  return missing;
}

std::vector<std::string> lints(const verdict& verdict) {
  if (verdict.lint == lint_kind::none) return {};
  return {std::string{label(verdict.lint)}};
}

std::vector<std::string> shard_names(const shard_set& shards, const catalog& catalog) {
  std::vector<std::string> names;
  const auto all = catalog.shards();
  const std::size_t known = std::min(all.size(), shards.words().size() * 64);
  for (std::size_t i = 0; i < known; ++i) {
    if (shards.contains(i)) names.push_back(all[i]);
  }
  return names;
}

std::string shard_key_json(const collection& collection) {
  std::string json = "{";
  for (const key_field& field : collection.key) {
    if (json.size() > 1) json += ',';
    text::append_json_string(json, field.path);
    json += field.hashed ? ":\"hashed\"" : ":1";
  }
  return json + '}';
}

std::string verdict_json(const verdict& verdict, const wire::command& command,
                         const catalog& catalog, scratch& memory) {
  std::string json = "{";
  append_name(json, "ns");
  text::append_json_string(json, namespace_of(verdict));
  append_name(json, "command");
  text::append_json_string(json, name_of(verdict.command));
  append_name(json, "routing");
  text::append_json_string(json, label(verdict.routing));
  append_name(json, "bounds");
  append_text(json, label(verdict.bounds));
  append_name(json, "reason");
  append_text(json, verdict.why != reason::none ? label(verdict.why) : label(verdict.lint));
  append_name(json, "missing");
  append_string_list(json, missing_fields(verdict));
  append_name(json, "fanout");
  append_shards(json, verdict.fanout, catalog);
  append_name(json, "sent_to");
  append_shards(json, verdict.sent_to, catalog);
  append_name(json, "refused");
  append_text(json, label(verdict.refused));
  append_name(json, "shapeHash");
  text::append_json_string(json, shape_hash_text(shape_hash(command, memory)));
  append_name(json, "shape");
  json += shape_json(command, memory);
  append_name(json, "suggestion");
  append_text(json, suggestion(verdict, command));
  if (const auto found = lints(verdict); !found.empty()) {
    append_name(json, "lints");
    append_string_list(json, found);
  }
  return json + '}';
}

std::string verdict_line(const verdict& verdict, const wire::command& command,
                         const catalog& catalog) {
  constexpr std::size_t widest_class = 14;  // scatter_gather
  std::string line{label(verdict.routing)};
  line.resize(std::max(line.size(), widest_class), ' ');
  line += "  ";
  const std::string ns = namespace_of(verdict);
  text::append_json_inside(line, ns.empty() ? "-" : ns);
  line += "  ";
  line += name_of(verdict.command);
  if (verdict.why != reason::none) {
    line += "  reason: ";
    line += label(verdict.why);
  }
  if (const auto missing = missing_fields(verdict); !missing.empty()) {
    line += "  missing: ";
    append_shown(line, missing);
  }
  if (verdict.fanout) {
    const auto shards = shard_names(*verdict.fanout, catalog);
    line += "  fan-out: " + std::to_string(shards.size());
    if (!shards.empty()) line += " (";
    append_shown(line, shards);
    if (!shards.empty()) line += ')';
  } else if (verdict.routing == routing_class::single_shard) {
    line += "  fan-out: 1";
  }
  if (verdict.refused != refusal::none) {
    line += "  refused: ";
    line += label(verdict.refused);
  }
  if (const auto found = lints(verdict); !found.empty()) {
    line += "  lint: ";
    append_shown(line, found);
  }
  if (const std::string advised = suggestion(verdict, command); !advised.empty()) {
    line += "  do: " + sentence_shown(advised);
  }
  return line;
}

}  // namespace scattergate::routing
