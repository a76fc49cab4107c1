#include "sim/execution/pipeline.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <random>

#include "sim/execution/arguments.hpp"
#include "sim/execution/pipeline_head.hpp"
#include "sim/execution/stats.hpp"
#include "sim/query/matcher.hpp"
#include "sim/query/projection.hpp"
#include "sim/query/sort.hpp"
#include "sim/values/bson_codec.hpp"
#include "sim/values/error.hpp"
#include "sim/values/function_table.hpp"

namespace scattergate::sim {
namespace {

constexpr int max_pipeline_depth = 20;

/// A stage's result document. Limits stages that double it.
document_ptr shared(document content) {
  constexpr std::size_t most_bytes = 16 * 1024 * 1024;
  if (encoded_bytes(content) > most_bytes) {
    throw command_failure(errc::bson_object_too_large, "BSONObj size is invalid");
  }
  return std::make_shared<const document>(std::move(content));
}

documents match(const pipeline_scope& in, documents input, const value& operand) {
  const matcher filter{stage_document("$match", operand), in.names};
  std::erase_if(input, [&filter](const document_ptr& each) { return !filter.matches(*each); });
  return input;
}

documents sort(const pipeline_scope&, documents input, const value& operand) {
  sort_order{stage_document("$sort", operand)}.apply(input);
  return input;
}

std::int64_t count_operand(const char* stage, const value& operand, std::int64_t least) {
  if (!operand.is_number() || operand.as_int64() < least) {
    throw command_failure(static_cast<errc>(5107201),
                          std::string{"invalid argument to "} + stage + " stage");
  }
  return operand.as_int64();
}

documents skip(const pipeline_scope&, documents input, const value& operand) {
  const auto count = std::min(count_operand("$skip", operand, 0), std::ssize(input));
  input.erase(input.begin(), input.begin() + count);
  return input;
}

documents limit(const pipeline_scope&, documents input, const value& operand) {
  const auto count = std::min(count_operand("$limit", operand, 1), std::ssize(input));
  input.erase(input.begin() + count, input.end());
  return input;
}

documents count(const pipeline_scope&, documents input, const value& operand) {
  const auto* name = operand.as<std::string>();
  if (name == nullptr || name->empty() || name->starts_with('$')) {
    throw command_failure(static_cast<errc>(40156),
                          "the count field must be a non-empty string");
  }
  if (input.empty()) return {};
  return {shared({{*name, static_cast<std::int32_t>(input.size())}})};
}

documents sort_by_count(const pipeline_scope& in, documents input, const value& operand) {
  const document one{{"$sum", std::int32_t{1}}};
  documents grouped = group(in, std::move(input), document{{"_id", operand}, {"count", one}});
  sort_order{{{"count", std::int32_t{-1}}}}.apply(grouped);
  return grouped;
}

/// Chooses some documents at random.
documents sample(const pipeline_scope&, documents input, const value& operand) {
  const value* size = stage_document("$sample", operand).find("size");
  if (size == nullptr || !size->is_number() || size->as_int64() <= 0) {
    throw command_failure(static_cast<errc>(28747),
                          "size argument to $sample must be a positive integer");
  }
  documents out;
  std::ranges::sample(input, std::back_inserter(out), size->as_int64(), std::random_device{});
  return out;
}

/// A stage that makes documents is run instead of reading a collection.
documents already_run(const pipeline_scope&, documents input, const value&) {
  return input;
}

documents facet(const pipeline_scope& in, documents input, const value& operand) {
  const pipeline_scope inner{in.at, in.db, in.names, in.depth + 1};
  document out;
  for (const field& each : stage_document("$facet", operand)) {
    const auto* stages = each.content.as<array>();
    if (stages == nullptr) {
      throw command_failure(static_cast<errc>(40170), "arguments to $facet must be arrays");
    }
    check_stages(*stages);
    array found;
    for (const document_ptr& one : run_pipeline(inner, input, *stages)) {
      found.emplace_back(*one);
    }
    out.append(each.name, std::move(found));
  }
  return {std::make_shared<const document>(std::move(out))};
}

/// The values of `$redact`'s three system variables.
constexpr const char* descend = "descend";
constexpr const char* prune = "prune";
constexpr const char* keep = "keep";

class redactor {
 public:
  redactor(const value& operand, variables names)
      : decide_(operand, with_decisions(std::move(names))) {}

  /// The remaining part of a document; std::nullopt if nothing remains.
  [[nodiscard]] std::optional<document> redacted(const document& from) const {
    const value decision = decide_.evaluate(from);
    const auto* text = decision.as<std::string>();
    if (text != nullptr && *text == keep) return from;
    if (text != nullptr && *text == prune) return std::nullopt;
    if (text == nullptr || *text != descend) {
      throw command_failure(static_cast<errc>(17053),
                            "$redact must resolve to $$DESCEND, $$PRUNE or $$KEEP");
    }
    document out;
    for (const field& each : from) {
      if (auto left = redacted(each.content)) out.append(each.name, std::move(*left));
    }
    return out;
  }

 private:
  static variables with_decisions(variables names) {
    names["DESCEND"] = descend;
    names["PRUNE"] = prune;
    names["KEEP"] = keep;
    return names;
  }

  [[nodiscard]] std::optional<value> redacted(const value& from) const {
    if (const auto* inner = from.as<document>()) {
      auto left = redacted(*inner);
      return left ? std::optional<value>{std::move(*left)} : std::nullopt;
    }
    const auto* members = from.as<array>();
    if (members == nullptr) return from;
    array out;
    for (const value& each : *members) {
      if (auto left = redacted(each)) out.push_back(std::move(*left));
    }
    return value{std::move(out)};
  }

  expression decide_;
};

documents redact(const pipeline_scope& in, documents input, const value& operand) {
  const redactor cut{operand, in.names};
  documents out;
  for (const document_ptr& each : input) {
    if (auto left = cut.redacted(*each)) {
      out.push_back(std::make_shared<const document>(std::move(*left)));
    }
  }
  return out;
}

/// A stage of a search engine, refused as by a server without one.
documents refuse_search(const pipeline_scope&, documents, const value&) {
  throw command_failure(errc::search_not_enabled,
                        "Using $search and the like requires additional configuration");
}

/// The simulator knows the routing of `$graphLookup`, but doesn't run it.
documents refuse_graph_lookup(const pipeline_scope&, documents, const value&) {
  refuse_unsupported("$graphLookup, except in an explain,");
}

constexpr auto plain_stages = std::to_array<std::pair<std::string_view, stage_function>>({
    {"$match", match},
    {"$sort", sort},
    {"$skip", skip},
    {"$limit", limit},
    {"$count", count},
    {"$group", group},
    {"$unwind", unwind},
    {"$sortByCount", sort_by_count},
    {"$sample", sample},
    {"$facet", facet},
    {"$search", refuse_search},
    {"$searchMeta", refuse_search},
    {"$vectorSearch", refuse_search},
    {"$listSearchIndexes", refuse_search},
    {"$graphLookup", refuse_graph_lookup},
    {"$redact", redact},
    {"$collStats", already_run},
    {"$changeStream", already_run},
});

const field& only_field(const value& stage) {
  const auto* content = stage.as<document>();
  if (content == nullptr || content->size() != 1) {
    throw command_failure(
        static_cast<errc>(40323),
        "A pipeline stage specification object must contain exactly one field.");
  }
  return content->front();
}

}  // namespace

const document& stage_document(const char* stage, const value& operand) {
  const auto* content = operand.as<document>();
  if (content == nullptr) {
    throw command_failure(errc::failed_to_parse,
                          std::string{"the "} + stage + " specification must be an object");
  }
  return *content;
}

stage_function find_stage(std::string_view name) noexcept {
  if (const stage_function found = find_function(plain_stages, name)) return found;
  return find_join_stage(name);
}

void check_stages(const array& stages) {
  for (const value& stage : stages) {
    const field& only = only_field(stage);
    if (!is_reshaping(only.name) && find_stage(only.name) == nullptr) {
      throw command_failure(errc::unrecognized_stage, "Unrecognized pipeline stage name: '" +
                                                          only.name + "'" + see_limits);
    }
  }
}

bool runs_on_router(const array& stages) {
  const auto* first = stages.empty() ? nullptr : stages.front().as<document>();
  return first != nullptr && first->has("$listSearchIndexes");
}

documents run_source(const pipeline_scope& in, const pipeline_source& what,
                     const collating& collation, std::optional<counted_command> counted,
                     bool is_raw) {
  const auto* first = what.stages.empty() ? nullptr : what.stages.front().as<document>();
  documents input;
  if (first != nullptr && first->has("$collStats")) {
    input = coll_stats_by_shard(in.at, what.ns, *first);
  } else if (!runs_on_router(what.stages)) {
    input =
        read(in.at, {what.ns, leading_filter(what.stages), "aggregate", counted, collation, 0,
                     in.names, head_of(what.stages, filter_terms_of(in.at, in.names)), is_raw});
  }
  return run_pipeline(in, std::move(input), what.stages);
}

documents run_pipeline(const pipeline_scope& in, documents input,
                       std::span<const value> stages) {
  if (in.depth > max_pipeline_depth) {
    throw command_failure(static_cast<errc>(5107200), "pipelines are nested too deep");
  }
  for (const value& stage : stages) {
    const field& only = only_field(stage);
    if (is_reshaping(only.name)) {
      const reshaping reshaped = make_reshaping(only, in.names);
      for (document_ptr& each : input) each = shared(reshaped(*each));
    } else {
      input = find_stage(only.name)(in, std::move(input), only.content);
    }
  }
  return input;
}

}  // namespace scattergate::sim
