#include <array>

#include "sim/execution/pipeline.hpp"
#include "sim/values/error.hpp"
#include "sim/values/function_table.hpp"

/// The stages of a search engine, which the simulator doesn't have: routed, and rejected when
/// run, as by a server without one.
namespace scattergate::sim {
namespace {

documents refuse_search(const pipeline_scope&, documents, const value&) {
  throw command_failure(errc::search_not_enabled,
                        "Using $search and the like requires additional configuration");
}

constexpr auto search_stages = std::to_array<std::pair<std::string_view, stage_function>>({
    {"$search", refuse_search},
    {"$searchMeta", refuse_search},
    {"$vectorSearch", refuse_search},
    {"$listSearchIndexes", refuse_search},
});

}  // namespace

stage_function find_search_stage(std::string_view name) noexcept {
  return find_function(search_stages, name);
}

bool runs_on_router(const array& stages) {
  const auto* first = stages.empty() ? nullptr : stages.front().as<document>();
  return first != nullptr && first->has("$listSearchIndexes");
}

}  // namespace scattergate::sim
