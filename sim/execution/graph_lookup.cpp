#include <limits>
#include <set>

#include "sim/execution/arguments.hpp"
#include "sim/execution/pipeline.hpp"
#include "sim/execution/router.hpp"
#include "sim/query/projection.hpp"
#include "sim/values/compare.hpp"
#include "sim/values/error.hpp"
#include "sim/values/path.hpp"

/// $graphLookup, which follows references from document to document.
namespace scattergate::sim {
namespace {

/// The values to search for next: a value, or the members of an array.
void add_values(const value& found, array& out) {
  const auto* members = found.as<array>();
  if (members == nullptr) {
    out.push_back(found);
  } else {
    out.insert(out.end(), members->begin(), members->end());
  }
}

/// One search, from its start values.
class graph_search {
 public:
  graph_search(const pipeline_scope& in, const document& options)
      : in_(in),
        ns_(in.db + "." + text_argument(options, "from")),
        to_(text_argument(options, "connectToField")),
        from_(split_path(text_argument(options, "connectFromField"))),
        depth_field_(text_argument(options, "depthField")),
        restricts_(document_argument(options, "restrictSearchWithMatch")),
        max_depth_(number_argument(options, "maxDepth", std::numeric_limits<int>::max())) {
    if (to_.empty() || text_argument(options, "connectFromField").empty()) {
      throw command_failure(errc::failed_to_parse,
                            "$graphLookup needs from, startWith, connectFromField, "
                            "connectToField and as");
    }
  }

  [[nodiscard]] array reached_from(array frontier) {
    array out;
    std::set<value, value_less> seen;
    for (std::int64_t depth = 0; depth <= max_depth_ && !frontier.empty(); ++depth) {
      frontier = step(std::exchange(frontier, {}), depth, seen, out);
    }
    return out;
  }

 private:
  /// Appends the documents with these values; returns the values to search for next.
  array step(array values, std::int64_t depth, std::set<value, value_less>& seen, array& out) {
    document filter = restricts_;
    filter.append(to_, document{{"$in", std::move(values)}});
    const read_request what{ns_, filter, "aggregate", std::nullopt, {}, 0, in_.names};
    array next;
    for (const document_ptr& each : read(in_.at, what)) {
      const value* id = each->find("_id");
      if (!seen.insert(id == nullptr ? value{} : *id).second) continue;
      document found = *each;
      if (!depth_field_.empty()) found.set(depth_field_, depth);
      const auto visit = [&next](const value* leaf) {
        if (leaf != nullptr) add_values(*leaf, next);
        return false;
      };
      visit_path(*each, from_, visit);
      out.emplace_back(std::move(found));
    }
    return next;
  }

  const pipeline_scope& in_;
  std::string ns_;
  std::string to_;
  std::vector<std::string> from_;
  std::string depth_field_;
  document restricts_;
  std::int64_t max_depth_;
};

}  // namespace

documents graph_lookup(const pipeline_scope& in, documents input, const value& operand) {
  const document& options = stage_document("$graphLookup", operand);
  const std::string as = text_argument(options, "as");
  if (as.empty()) throw command_failure(errc::failed_to_parse, "$graphLookup needs as");
  graph_search search{in, options};
  const expression start{needed_argument(options, "startWith"), in.names};
  for (document_ptr& each : input) {
    array values;
    if (auto first = start.evaluate_or_missing(*each)) add_values(*first, values);
    document out = *each;
    set_path(out, as, search.reached_from(std::move(values)));
    each = std::make_shared<const document>(std::move(out));
  }
  return input;
}

}  // namespace scattergate::sim
