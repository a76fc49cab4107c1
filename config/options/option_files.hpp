#pragma once

#include "config/options/options.hpp"
#include "config/text/problem_log.hpp"

namespace scattergate::config {

/// Notes every file that a setting names and that is read (certificates, keys, secrets, the
/// catalog's file), and the TLS files that the catalog's connection string names.
void note_files(const options& made, problem_log& to);

}  // namespace scattergate::config
