#include "routing/statements/view_chain.hpp"

namespace scattergate::routing {

using wire::document_view;

view_chain chain_of(const pipeline_source& source, const judging_context& context) noexcept {
  view_chain chain;
  chain.pipelines[chain.count++] = source.stages;
  chain.name = source.from;
  chain.base = resolve(context, chain.name);
  chain.simple_collation = chain.base.entry == nullptr || chain.base.entry->simple_collation;
  while (chain.base.entry != nullptr && chain.base.entry->is_view()) {
    if (chain.count == chain.pipelines.size()) {
      chain.too_deep = true;
      break;
    }
    const collection& view = *chain.base.entry;
    chain.pipelines[chain.count++] =
        document_view::from(view.view_pipeline).value_or(document_view{});
    chain.name = {view.database, view.view_on};
    chain.base = resolve(context, chain.name);
  }
  return chain;
}

}  // namespace scattergate::routing
