#pragma once

#include "config/options/options.hpp"

namespace scattergate::proxy {

/// What a reload can't change stays as it is in `running`, and a log line says so where
/// `loaded` has it otherwise: addresses above all. Of a listener whose addresses are the same,
/// all else changes.
void keep_what_is_bound(config::options& loaded, const config::options& running);

}  // namespace scattergate::proxy
