#pragma once

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// Checks where the stages of a pipeline and of its sub-pipelines stand: some only first, some
/// only last, some in no `$facet`, and a `$match` with `$text` only first (mongo:
/// pipeline/pipeline.cpp, validateCommon; document_source_facet.cpp, createFromBson, before
/// it). Throws command_failure (40600 to 40602, 17313).
void check_places(const array& stages);

}  // namespace scattergate::sim
