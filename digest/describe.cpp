#include "digest/describe.hpp"

#include <numeric>
#include <utility>

#include "routing/words/describe.hpp"

namespace scattergate::digest {

description describe(const routing::verdict& verdict, const wire::command& command,
                     std::string shape_json, std::string_view driver) {
  description what;
  what.routing = verdict.routing;
  what.bounds = verdict.bounds;
  what.why = routing::cause_of(verdict);
  what.shape_json = std::move(shape_json);
  if (verdict.judged != nullptr && !verdict.judged->key.empty()) {
    what.shard_key_json = routing::shard_key_json(*verdict.judged);
  }
  what.missing = routing::missing_fields(verdict);
  what.lints = routing::lints(verdict);
  what.suggestion = routing::suggestion(verdict, command, driver);
  const auto& all = verdict.statements;
  const bool is_batch = std::accumulate(all.begin(), all.end(), std::uint64_t{0}) > 1;
  if (is_batch && verdict.is_scatter_on_sharded()) what.statement = verdict.deciding_statement;
  return what;
}

}  // namespace scattergate::digest
