#pragma once

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// Checks the positions of stages in a pipeline and its sub-pipelines. Some stages must be the
/// first, some the last, and some aren't allowed in a `$facet`. A `$match` with `$text` must
/// be the first stage. Throws command_failure (40600 to 40602, 17313) (mongo:
/// pipeline/pipeline.cpp, validateCommon; in earlier versions document_source_facet.cpp,
/// createFromBson).
void check_places(const array& stages);

}  // namespace scattergate::sim
