#include "tests/sim/agreement/recombined_commands.hpp"

#include <algorithm>
#include <initializer_list>

#include "sim/execution/arguments.hpp"
#include "sim/values/bson_codec.hpp"
#include "sim/values/hashing.hpp"
#include "tests/sim/agreement/views.hpp"

namespace scattergate::sim {
namespace {

constexpr std::int32_t zero = 0;
constexpr std::int32_t one = 1;

const document& caseless() {
  static const document collation{{"locale", "en"}, {"strength", 2}};
  return collation;
}

decimal128 one_as_decimal() {
  decimal128 out;
  out.bytes[0] = 1;
  out.bytes[14] = 0x40;
  out.bytes[15] = 0x30;
  return out;
}

document in_and(array branches) {
  return {{"$and", std::move(branches)}};
}

}  // namespace

recombined_commands::recombined_commands(const document& layout, unsigned seed)
    : random_{seed}, is_series_{layout.has("timeseries")} {
  for (const field& each : document_argument(layout, "shardKey")) paths_.push_back(each.name);
  for (const value& each : array_argument(layout, "cases")) {
    take_command(document_argument(*each.as<document>(), "command"));
  }
  scalars_.insert(scalars_.end(), {null{}, max_key{}, min_key{}, array{}, array{one}});
}

std::size_t recombined_commands::below(std::size_t end) {
  return std::uniform_int_distribution<std::size_t>{0, end - 1}(random_);
}

void recombined_commands::take_filter(const document& filter) {
  for (const field& each : filter) {
    if (each.name == "$and" || each.name == "$or" || each.name == "$nor") {
      for (const value& branch : *each.content.as<array>()) {
        take_filter(*branch.as<document>());
      }
      continue;
    }
    parts_.push_back(each);
    const auto* content = each.content.as<document>();
    if (content == nullptr) scalars_.push_back(each.content);
  }
}

void recombined_commands::take_command(const document& command) {
  take_filter(document_argument(command, "filter"));
  take_filter(document_argument(command, "query"));
  for (const char* list : {"updates", "deletes"}) {
    for (const value& each : array_argument(command, list)) {
      take_filter(document_argument(*each.as<document>(), "q"));
    }
  }
  for (const value& each : array_argument(command, "pipeline")) {
    const document& stage = *each.as<document>();
    if (stage.has("$match")) {
      take_filter(document_argument(stage, "$match"));
    } else {
      stages_.push_back(stage);
    }
  }
}

namespace {

/// Makes `command` the first one of a transaction.
document in_transaction(document command) {
  command.append("lsid", document{{"id", binary{4, std::string(16, 's')}}});
  command.append("txnNumber", std::int64_t{1});
  command.append("startTransaction", true);
  command.append("autocommit", false);
  return command;
}

/// Whether some part of the command has one of the texts, as a name or value.
bool mentions(const document& command, std::initializer_list<const char*> texts) {
  const std::string whole = to_json(command);
  return std::ranges::any_of(texts,
                             [&](const char* each) { return whole.find(each) != whole.npos; });
}

/// Whether a search engine, or mongos itself, answers the command.
bool searches(const document& command) {
  return mentions(command, {"\"$search", "\"$vectorSearch\"", "\"$listSearchIndexes\""});
}

/// Whether the simulator can run the command, not only explain it, with the same result: it
/// inserts nothing, and reads only `c`.
bool is_runnable(const document& command) {
  return !searches(command) &&
         !mentions(command, {"\"upsert\" : true", "\"$merge\"", "\"$out\"", "\"$lookup\"",
                             "\"$graphLookup\"", "\"$unionWith\""});
}

/// The same on a series' buckets by their own name.
document on_buckets(document command) {
  field& first = *command.begin();
  if (first.content.is<std::string>()) first.content = "system.buckets.c";
  return command;
}

}  // namespace

value recombined_commands::scalar() {
  return one_of(scalars_);
}

field recombined_commands::expression_part() {
  const std::string path = "$" + one_of(paths_);
  static const std::vector<std::string> names{"$eq", "$gt", "$lte"};
  document made{{one_of(names), array{path, document{{"$literal", scalar()}}}}};
  if (by_chance(30)) made = {{"$in", array{path, array{scalar(), scalar()}}}};
  if (by_chance(10)) {
    const document vars{{"v", document{{"$literal", scalar()}}}};
    made = {{"$let", document{{"vars", vars}, {"in", document{{"$eq", array{path, "$$v"}}}}}}};
  }
  if (by_chance(8)) {
    made = {{"$eq", array{document{{"$toHashedIndexKey", path}}, key_hash(scalar())}}};
  }
  if (by_chance(2)) made = {{"$eq", array{path, "$$unbound"}}};
  if (takes_let_ && by_chance(10)) {
    names_let_ = true;
    made = {{one_of(names), array{path, "$$given"}}};
  }
  return {"$expr", std::move(made)};
}

/// A condition that passes everything or nothing.
field recombined_commands::constant_part() {
  static const std::vector<document> never{{{"$in", array{}}}, {{"$all", array{}}}};
  static const std::vector<value> rates{zero, one, 0.5, one_as_decimal()};
  if (by_chance(40)) return {"$sampleRate", one_of(rates)};
  if (by_chance(10)) return {by_chance(50) ? "$alwaysFalse" : "$alwaysTrue", one};
  const bool is_on_members = by_chance(50);
  const document condition = is_on_members ? document{{"c", one_of(never)}} : one_of(never);
  return {by_chance(30) ? one_of(paths_) : "other", document{{"$elemMatch", condition}}};
}

field recombined_commands::part() {
  if (by_chance(6)) return expression_part();
  if (by_chance(2)) return constant_part();
  if (by_chance(25)) return {one_of(paths_), scalar()};
  if (by_chance(6)) return {one_of(paths_), document{{"$in", array{}}}};
  if (by_chance(6)) return {one_of(paths_), document{{"$in", array{scalar(), scalar()}}}};
  if (by_chance(6)) return {one_of(paths_), document{{"$ne", scalar()}}};
  const field& known = one_of(parts_);
  const auto* operators = known.content.as<document>();
  const bool is_negatable = operators != nullptr && !known.name.starts_with('$') &&
                            !operators->empty() && operators->front().name.starts_with('$');
  if (is_negatable && by_chance(15)) return {known.name, document{{"$not", *operators}}};
  return known;
}

array recombined_commands::branches(int depth) {
  array out;
  for (std::size_t i = 0, end = 1 + below(3); i < end; ++i) out.push_back(filter(depth + 1));
  return out;
}

document recombined_commands::filter(int depth) {
  document out;
  for (std::size_t i = 0, end = below(depth == 0 ? 4 : 3); i < end; ++i) {
    field made = part();
    if (!out.has(made.name)) out.append(made.name, std::move(made.content));
  }
  if (depth < 3 && by_chance(35)) {
    static const std::vector<std::string> names{"$or", "$or", "$and", "$nor"};
    out.append(one_of(names), branches(depth));
  }
  return out;
}

array recombined_commands::pipeline() {
  array out;
  for (std::size_t i = 0, end = below(3); i < end && !stages_.empty(); ++i) {
    out.push_back(one_of(stages_));
  }
  out.push_back(document{{"$match", filter()}});
  if (by_chance(30)) out.push_back(document{{"$match", filter()}});
  return out;
}

/// Stages that lead to the collection itself again, or to a search engine.
array recombined_commands::joining_pipeline() {
  const document self{{"from", "c"}, {"as", "o"}};
  document lookup = self;
  lookup.append("localField", one_of(paths_));
  lookup.append("foreignField", one_of(paths_));
  document graph = self;
  graph.append("startWith", "$x");
  graph.append("connectFromField", "x");
  graph.append("connectToField", one_of(paths_));
  const document search{{"text", document{{"query", "q"}, {"path", "x"}}}};
  const std::vector<document> all{{{"$lookup", lookup}},
                                  {{"$graphLookup", graph}},
                                  {{"$unionWith", "c"}},
                                  {{"$out", "c"}},
                                  {{"$merge", "c"}},
                                  {{"$search", search}},
                                  {{"$searchMeta", search}},
                                  {{"$vectorSearch", document{{"filter", filter()}}}},
                                  {{"$listSearchIndexes", document{}}}};
  const document& made = one_of(all);
  const document match{{"$match", filter()}};
  const std::string& name = made.front().name;
  const bool is_last = name == "$out" || name == "$merge";
  // Some are in places where they aren't allowed.
  return is_last != by_chance(10) ? array{match, made} : array{made, match};
}

/// A group's key under another name.
array recombined_commands::grouping_pipeline() {
  static const std::vector<std::string> sources{"$_id.c", "$_id.c", "$_id.c.x", "$_id.d",
                                                "$_id"};
  static const std::vector<std::string> names{"$project", "$project", "$project", "$addFields"};
  document id{{"c", "$" + one_of(paths_)}};
  if (by_chance(30)) id.append("d", "$x");
  array out;
  out.push_back(document{{"$group", document{{"_id", std::move(id)}}}});
  out.push_back(document{{one_of(names), document{{"m", one_of(sources)}}}});
  document match;
  const field condition = part();
  const bool is_path = !condition.name.starts_with('$');
  match.append(is_path ? "m" : condition.name, condition.content);
  out.push_back(document{{"$match", std::move(match)}});
  return out;
}

/// `may_move`: it may change the shard key.
array recombined_commands::changing_pipeline(bool may_move) {
  static const std::vector<document> stages{
      {{"$set", document{{"z", one}}}},
      {{"$addFields", document{{"z", "$x"}}}},
      {{"$unset", "z"}},
      {{"$project", document{{"z", zero}}}},
  };
  array out{one_of(stages)};
  if (by_chance(30)) out.push_back(one_of(stages));
  if (may_move && by_chance(30)) {
    const document key{{one_of(paths_), document{{"$literal", scalar()}}}};
    out.push_back(document{{"$set", key}});
  }
  return out;
}

/// Of measurements an update may change the meta field only. A shard may not know the operator.
value recombined_commands::change(bool may_move) {
  if (by_chance(15)) return changing_pipeline(may_move);
  const bool is_of_meta = is_series_ && by_chance(80);
  return document{{by_chance(4) ? "$foo" : "$set", document{{is_of_meta ? "m.z" : "z", one}}}};
}

document recombined_commands::write() {
  if (by_chance(33)) {
    document out{{"findAndModify", "c"}, {"query", filter()}};
    if (is_series_ && by_chance(70)) {
      out.append("remove", true);
      return out;
    }
    out.append("update", change(true));
    if (by_chance(15)) out.append("upsert", true);
    return out;
  }
  if (by_chance(50)) {
    const document each{{"q", filter()}, {"limit", by_chance(50) ? one : zero}};
    return {{"delete", "c"}, {"deletes", array{each}}};
  }
  const bool replaces = by_chance(20);
  document each{{"q", filter()},
                {"u", replaces ? document{{one_of(paths_), scalar()}} : change(true)},
                {"multi", !replaces && by_chance(50)},
                {"upsert", by_chance(15)}};
  if (by_chance(6)) each.append("c", document{{"given", scalar()}});
  return {{"update", "c"}, {"updates", array{each}}};
}

/// One of a bulkWrite's.
document recombined_commands::operation() {
  document out = uncollated_operation();
  if (out.has("filter") && by_chance(8)) out.append("collation", caseless());
  return out;
}

document recombined_commands::uncollated_operation() {
  constexpr std::int32_t first = 0;
  if (by_chance(20)) {
    document made;
    for (const std::string& each : paths_) {
      if (each.find('.') == each.npos) made.append(each, scalar());
    }
    return {{"insert", first}, {"document", std::move(made)}};
  }
  if (by_chance(40)) {
    return {{"delete", first}, {"filter", filter()}, {"multi", by_chance(50)}};
  }
  const bool replaces = by_chance(20);
  document out{{"update", first},
               {"filter", filter()},
               {"updateMods", replaces ? document{{one_of(paths_), scalar()}} : change(false)},
               {"multi", by_chance(replaces ? 10 : 50)},
               {"upsert", by_chance(15)}};
  if (by_chance(6)) out.append("constants", document{{"given", scalar()}});
  return out;
}

document recombined_commands::bulk_write() {
  array operations;
  for (std::size_t i = 0, end = 1 + below(2); i < end; ++i) operations.push_back(operation());
  return {{"bulkWrite", one},
          {"ops", std::move(operations)},
          {"nsInfo", array{document{{"ns", "db.c"}}}},
          {"ordered", by_chance(50)}};
}

document recombined_commands::collated(document command) {
  for (const char* batch : {"updates", "deletes"}) {
    value* statements = command.find(batch);
    if (statements == nullptr) continue;
    statements->as<array>()->front().as<document>()->append("collation", caseless());
    return command;
  }
  command.append("collation", caseless());
  return command;
}

/// Whether to read a view instead.
bool recombined_commands::is_of_view(const document& command) {
  const std::string& name = command.front().name;
  const bool reads =
      name == "find" || name == "aggregate" || name == "count" || name == "distinct";
  const bool is_cut = command.has("skip") || command.has("limit");
  return reads && !is_cut && by_chance(10) && !searches(command);
}

/// One that a server accepts for a view.
array recombined_commands::view_pipeline() {
  array out = pipeline();
  while (mentions({{"pipeline", out}}, {"$$unbound"})) out = pipeline();
  return out;
}

document recombined_commands::statement() {
  takes_let_ = true;
  if (by_chance(8)) {
    document bulk = bulk_write();
    if (is_series_ && by_chance(15)) bulk.append("rawData", true);
    return by_chance(15) ? in_transaction(std::move(bulk)) : bulk;
  }
  document out = by_chance(30) ? write() : read();
  if (!is_series_ && by_chance(8) && is_runnable(out)) return in_transaction(std::move(out));
  if (is_of_view(out)) {
    takes_let_ = false;
    out.append(view_field, by_chance(10) ? array{} : view_pipeline());
    return out;
  }
  if (is_series_ && by_chance(15)) {
    out.append("rawData", true);
  } else if (is_series_ && by_chance(10)) {
    out = on_buckets(std::move(out));
  }
  return by_chance(8) ? collated(std::move(out)) : out;
}

document recombined_commands::next() {
  names_let_ = false;
  document out = statement();
  if (!names_let_) return out;
  document computed{{"$literal", scalar()}};
  if (by_chance(20)) computed = {{"$add", array{one, one}}};
  out.append("let", document{{"given", std::move(computed)}});
  return out;
}

document recombined_commands::read() {
  document out;
  if (by_chance(40)) {
    array stages = by_chance(6)   ? joining_pipeline()
                   : by_chance(6) ? grouping_pipeline()
                                  : pipeline();
    out = {{"aggregate", "c"}, {"pipeline", std::move(stages)}, {"cursor", document{}}};
  } else if (by_chance(80)) {
    out = {{"find", "c"}, {"filter", by_chance(20) ? in_and(branches(0)) : filter()}};
  } else {
    takes_let_ = false;
    document counted{{"count", "c"}};
    document listed{{"distinct", "c"}, {"key", one_of(paths_)}};
    out = by_chance(50) ? std::move(counted) : std::move(listed);
    out.append("query", filter());
  }
  const bool is_cut = !out.has("pipeline") && !out.has("key");
  if (is_cut && by_chance(2)) out.append(by_chance(50) ? "skip" : "limit", std::int32_t{-1});
  return out;
}

}  // namespace scattergate::sim
