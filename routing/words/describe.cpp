#include "routing/words/describe.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "routing/command_kind.hpp"
#include "routing/shape/shape.hpp"
#include "text/json_writer.hpp"

namespace scattergate::routing {

namespace {

using text::json_writer;

void append_shards(json_writer& to, std::string_view name,
                   const std::optional<shard_set>& shards, const catalog& catalog) {
  shards ? to.texts(name, shard_names(*shards, catalog)) : to.null(name);
}

std::string namespace_of(const verdict& verdict) {
  if (verdict.database.empty()) return std::string{verdict.collection};
  return verdict.ns().full_name();
}

/// Appends texts so that they are safe on a terminal: replaces control characters and broken
/// UTF-8.
void append_shown(std::string& to, std::span<const std::string> texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i != 0) to += ", ";
    text::append_json_inside(to, texts[i]);
  }
}

/// A sentence without control characters. Quotes aren't escaped.
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

std::optional<std::uint32_t> blamed_statement(const verdict& verdict) {
  const auto& all = verdict.statements;
  const bool is_batch = std::accumulate(all.begin(), all.end(), std::uint64_t{0}) > 1;
  if (!is_batch || !verdict.is_scatter_on_sharded()) return std::nullopt;
  return verdict.deciding_statement;
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

namespace {

/// The shard key as JSON; `shows_hashed`: a hashed field has the value "hashed" instead of 1.
std::string key_json(const collection& collection, bool shows_hashed) {
  std::string text;
  json_writer json{text};
  json.object();
  for (const key_field& field : collection.key) {
    field.hashed&& shows_hashed ? json.text(field.path, "hashed") : json.number(field.path, 1);
  }
  json.end();
  return text;
}

}  // namespace

std::string shard_key_json(const collection& collection) {
  return key_json(collection, true);
}

std::string ascending_key_json(const collection& collection) {
  return key_json(collection, false);
}

std::string verdict_json(const verdict& verdict, const wire::command& command,
                         const catalog& catalog, scratch& memory) {
  std::string text;
  json_writer json{text};
  json.object();
  json.text("ns", namespace_of(verdict));
  json.text("command", name_of(verdict.command));
  json.text("routing", label(verdict.routing));
  json.text_or_null("bounds", label(verdict.bounds));
  json.text_or_null("reason",
                    verdict.why != reason::none ? label(verdict.why) : label(verdict.lint));
  json.texts("missing", missing_fields(verdict));
  if (const auto blamed = blamed_statement(verdict)) json.number("statement", *blamed);
  append_shards(json, "fanout", verdict.fanout, catalog);
  append_shards(json, "sent_to", verdict.sent_to, catalog);
  json.text_or_null("refused", label(verdict.refused));
  json.text("shapeHash", shape_hash_text(shape_hash(command, memory)));
  json.raw("shape", shape_json(command, memory));
  json.text_or_null("suggestion", suggestion(verdict, command));
  if (const auto found = lints(verdict); !found.empty()) json.texts("lints", found);
  json.end();
  return text;
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
  if (const auto blamed = blamed_statement(verdict)) {
    line += "  statement: index " + std::to_string(*blamed) + " of the batch";
  }
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
