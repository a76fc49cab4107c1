#pragma once

#include <optional>
#include <string>

#include "config/options/load.hpp"
#include "text/problem.hpp"

/// The program's subcommands: one function and one file each. All return the exit status.
namespace scattergate::app {

/// Runs the proxy until it is stopped. Returns 1 for an invalid configuration or an address in
/// use.
[[nodiscard]] int run(const config::flags& given);

/// Checks what run() would refuse of a configuration and its catalog, and which certificates
/// have expired. Prints problems on standard error, one line each as FILE:LINE: reason, and
/// returns 1 if there are any; otherwise prints warnings. `connects`: then also tries what the
/// configuration refers to, with a line on standard output for each step, and returns 1 if one
/// failed.
[[nodiscard]] int check(const config::flags& given, bool connects);

/// Prints the effective configuration as a file. Returns 1 if something in it is wrong.
[[nodiscard]] int show_config(const config::flags& given);

/// Prints a preset, a checked catalog file or, for the source `mongos`, a cluster's catalog,
/// read from the address in `given` or the environment.
[[nodiscard]] int print_catalog(const std::string& source, const config::flags& given);

/// Judges commands without a server: reads one command per line in Extended JSON from standard
/// input, and prints one verdict per line. Returns 1 if a line wasn't a command.
[[nodiscard]] int classify(const std::string& catalog_source, bool as_json);

/// Asks a running proxy whether it is ready, at its admin address according to `given`.
[[nodiscard]] int health(const config::flags& given);

/// Prints problems on standard error; returns 1 if there are any, otherwise 0.
[[nodiscard]] int report(const std::vector<text::problem>& problems);

}  // namespace scattergate::app
