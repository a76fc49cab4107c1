#pragma once

#include <optional>
#include <string>

#include "config/options/load.hpp"
#include "text/problem.hpp"

/// The program's subcommands: one function and one file each. All return the exit status.
namespace scattergate::app {

/// Runs the proxy until it is stopped. Returns 1 if it can't start, for example because the
/// configuration is invalid or an address is in use, or if findings could not be written to
/// the audit log.
[[nodiscard]] int run(const config::flags& given);

/// Checks a configuration and its catalog for everything that run() would refuse, and for
/// expired certificates. Prints each problem on standard error as a line FILE:LINE: reason, and
/// returns 1 if there are any. Otherwise prints warnings, and returns 0. `connects`: if there
/// are no problems, also tries all connections (check_connections()), and returns 1 if a step
/// fails.
[[nodiscard]] int check(const config::flags& given, bool connects);

/// Prints the effective configuration in the form of a configuration file. Returns 1 if it has
/// problems.
[[nodiscard]] int show_config(const config::flags& given);

/// Prints a catalog as the text of a catalog file. `source`: a preset, a file (which is checked
/// first), or `mongos` for the catalog of the cluster whose address is in `given` or the
/// environment. Returns 1 on failure.
[[nodiscard]] int print_catalog(const std::string& source, const config::flags& given);

/// Judges commands without a server: reads commands in Extended JSON or as mongosh's statements
/// from standard input, and prints one verdict per line. `catalog_source`: a file or
/// preset:NAME. `collection`: if not empty, the collection of filters and pipelines in the
/// input. `fail_on`: "scatter" or "never". Returns 2 if a command has a name or namespace that
/// no MongoDB accepts, if a statement on a database can't be read, or if an argument is
/// invalid. Otherwise returns 1 if an input isn't a command, if the catalog can't be loaded, or
/// if a command scatters and `fail_on` is "scatter".
[[nodiscard]] int classify(const std::string& catalog_source, const std::string& collection,
                           bool as_json, const std::string& fail_on);

/// Asks a running proxy, at the admin address that `given` configures, whether the proxy is
/// ready. Returns 0 if it is ready, otherwise 1.
[[nodiscard]] int health(const config::flags& given);

/// Prints problems on standard error; returns 1 if there are any, otherwise 0.
[[nodiscard]] int report(const std::vector<text::problem>& problems);

}  // namespace scattergate::app
