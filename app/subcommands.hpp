#pragma once

#include <optional>
#include <string>

#include "config/options/load.hpp"
#include "text/problem.hpp"

/// What the program can be asked to do, one function and one file each. All return the exit
/// status.
namespace scattergate::app {

/// The proxy itself, until it is told to stop. 1 for a bad configuration or a taken address.
[[nodiscard]] int run(const config::flags& given);

/// Says what run() would refuse of a configuration and the catalog that it names, and which
/// certificates have expired: problems on standard error, one a line as FILE:LINE: reason, and
/// 1 where there are any; else warnings. `connects`: then tries what the configuration leads to
/// as well, a line on standard output for each step, and 1 where one failed.
[[nodiscard]] int check(const config::flags& given, bool connects);

/// Prints the effective configuration as a file. 1 where something in it is wrong.
[[nodiscard]] int show_config(const config::flags& given);

/// Prints a preset, a catalog file that has been checked, or, where the source is `mongos`, a
/// cluster's own, read from where `given` or the environment says.
[[nodiscard]] int print_catalog(const std::string& source, const config::flags& given);

/// Judges commands without a server: one command in Extended JSON a line on standard input,
/// one verdict a line on standard output. 1 where a line was no command.
[[nodiscard]] int classify(const std::string& catalog_source, bool as_json);

/// Asks a running proxy whether it is ready, at the admin address that `given` comes to.
[[nodiscard]] int health(const config::flags& given);

/// Prints problems on standard error; 1 where there are any, else 0.
[[nodiscard]] int report(const std::vector<text::problem>& problems);

}  // namespace scattergate::app
