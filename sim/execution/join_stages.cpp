#include <array>

#include "sim/execution/arguments.hpp"
#include "sim/execution/pipeline.hpp"
#include "sim/execution/router.hpp"
#include "sim/query/projection.hpp"
#include "sim/values/compare.hpp"
#include "sim/values/error.hpp"
#include "sim/values/function_table.hpp"
#include "sim/values/path.hpp"

/// The stages that read other collections: `$lookup`, `$unionWith`.
namespace scattergate::sim {
namespace {

/// The values of `localField` to look up: the value, or the members of an array.
array local_values(const document& from, path_view path) {
  array out;
  auto visit = [&out](const value* leaf) {
    const auto* members = leaf == nullptr ? nullptr : leaf->as<array>();
    if (members != nullptr) {
      out.insert(out.end(), members->begin(), members->end());
    } else {
      out.push_back(leaf == nullptr ? value{} : *leaf);
    }
    return false;
  };
  visit_path(from, path, visit);
  if (out.empty()) out.emplace_back(null{});
  return out;
}

/// Runs a pipeline on another collection, on the documents that match `condition`.
documents run_foreign(const pipeline_scope& in, const std::string& ns, array stages,
                      const document& condition) {
  if (!condition.empty()) stages.insert(stages.begin(), document{{"$match", condition}});
  return run_source(in, source_of(in.at.all.data, ns, std::move(stages)), {}, std::nullopt,
                    false);
}

/// The variables of a `$lookup`'s `let`, evaluated on its input document.
variables names_for(const pipeline_scope& in, const document& let, const document& from) {
  variables out = in.names;
  for (const field& each : let)
    out[each.name] = expression{each.content, in.names}.evaluate(from);
  return out;
}

documents lookup(const pipeline_scope& in, documents input, const value& operand) {
  const document& options = stage_document("$lookup", operand);
  const std::string ns = in.db + "." + text_argument(options, "from");
  const std::string as = text_argument(options, "as");
  const std::string local = text_argument(options, "localField");
  const std::string foreign = text_argument(options, "foreignField");
  const array& stages = array_argument(options, "pipeline");
  if (as.empty() || local.empty() != foreign.empty() ||
      (local.empty() && !options.has("pipeline"))) {
    throw command_failure(
        errc::failed_to_parse,
        "$lookup needs from, as, and localField with foreignField or a pipeline");
  }
  check_stages(stages);
  const auto local_path = split_path(local);
  for (document_ptr& each : input) {
    document condition;
    if (!local.empty()) {
      condition.append(foreign, document{{"$in", local_values(*each, local_path)}});
    }
    const variables names = names_for(in, document_argument(options, "let"), *each);
    const pipeline_scope inner{in.at, in.db, names, in.depth + 1};
    array joined;
    for (const document_ptr& found : run_foreign(inner, ns, stages, condition)) {
      joined.emplace_back(*found);
    }
    document out = *each;
    set_path(out, as, std::move(joined));
    each = std::make_shared<const document>(std::move(out));
  }
  return input;
}

documents union_with(const pipeline_scope& in, documents input, const value& operand) {
  const auto* name = operand.as<std::string>();
  const document options =
      name != nullptr ? document{{"coll", *name}} : stage_document("$unionWith", operand);
  const array& stages = array_argument(options, "pipeline");
  check_stages(stages);
  const std::string ns = in.db + "." + text_argument(options, "coll");
  const pipeline_scope inner{in.at, in.db, in.names, in.depth + 1};
  documents more = run_foreign(inner, ns, stages, {});
  input.insert(input.end(), more.begin(), more.end());
  return input;
}

constexpr auto join_stages = std::to_array<std::pair<std::string_view, stage_function>>({
    {"$lookup", lookup},
    {"$unionWith", union_with},
    {"$out", out_stage},
    {"$merge", merge_stage},
});

}  // namespace

stage_function find_join_stage(std::string_view name) noexcept {
  return find_function(join_stages, name);
}

}  // namespace scattergate::sim
