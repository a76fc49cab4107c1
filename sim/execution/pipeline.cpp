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

documents project(const pipeline_scope& in, documents input, const value& operand) {
  const document& specification = stage_document("$project", operand);
  if (specification.empty()) {
    throw command_failure(static_cast<errc>(51272), "$project must have at least one field");
  }
  const projection projected{specification, in.names};
  for (document_ptr& each : input) each = shared(projected.apply(*each));
  return input;
}

documents add_fields(const pipeline_scope& in, documents input, const value& operand) {
  std::vector<std::pair<std::string, expression>> computed;
  for (const field& each : stage_document("$addFields", operand)) {
    computed.emplace_back(each.name, expression{each.content, in.names});
  }
  for (document_ptr& each : input) {
    document out = *each;
    for (const auto& [path, compute] : computed) {
      if (auto result = compute.evaluate_or_missing(*each)) set_path(out, path, *result);
    }
    each = shared(std::move(out));
  }
  return input;
}

documents unset(const pipeline_scope& in, documents input, const value& operand) {
  document exclusion;
  const array names = operand.is<array>() ? *operand.as<array>() : array{operand};
  for (const value& each : names) {
    const auto* name = each.as<std::string>();
    if (name == nullptr)
      throw command_failure(static_cast<errc>(31120), "$unset takes strings");
    exclusion.append(*name, std::int32_t{0});
  }
  return project(in, std::move(input), exclusion);
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

documents replace_with(const pipeline_scope& in, documents input, const value& operand) {
  const expression compute{operand, in.names};
  for (document_ptr& each : input) {
    const value result = compute.evaluate(*each);
    const auto* content = result.as<document>();
    if (content == nullptr) {
      throw command_failure(static_cast<errc>(40228),
                            "'newRoot' expression must evaluate to an object");
    }
    each = shared(*content);
  }
  return input;
}

documents replace_root(const pipeline_scope& in, documents input, const value& operand) {
  return replace_with(in, std::move(input),
                      needed_argument(stage_document("$replaceRoot", operand), "newRoot"));
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

constexpr auto plain_stages = std::to_array<std::pair<std::string_view, stage_function>>({
    {"$match", match},
    {"$project", project},
    {"$addFields", add_fields},
    {"$set", add_fields},
    {"$unset", unset},
    {"$sort", sort},
    {"$skip", skip},
    {"$limit", limit},
    {"$count", count},
    {"$group", group},
    {"$unwind", unwind},
    {"$replaceWith", replace_with},
    {"$replaceRoot", replace_root},
    {"$sortByCount", sort_by_count},
    {"$sample", sample},
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
  if (const stage_function branch = find_branch_stage(name)) return branch;
  const stage_function search = find_search_stage(name);
  return search != nullptr ? search : find_join_stage(name);
}

void check_stages(const array& stages) {
  for (const value& stage : stages) {
    const field& only = only_field(stage);
    if (find_stage(only.name) == nullptr) {
      throw command_failure(errc::unrecognized_stage, "Unrecognized pipeline stage name: '" +
                                                          only.name + "'" + see_limits);
    }
  }
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
    input = find_stage(only.name)(in, std::move(input), only.content);
  }
  return input;
}

}  // namespace scattergate::sim
