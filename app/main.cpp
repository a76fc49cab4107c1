#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>

#include <CLI/CLI.hpp>

#include "app/advise.hpp"
#include "app/completion.hpp"
#include "app/fleet.hpp"
#include "app/gate.hpp"
#include "app/patience.hpp"
#include "app/report.hpp"
#include "app/report_output.hpp"
#include "app/subcommands.hpp"
#include "app/suggestion.hpp"
#include "app/terminal.hpp"
#include "app/verify.hpp"
#include "config/driver/connection_string.hpp"
#include "config/driver/driver_process.hpp"
#include "digest/table.hpp"
#include "telemetry/metrics/process_stats.hpp"
#include "text/printable.hpp"

namespace scattergate::app {
namespace {

CLI::Option* add_config_file(CLI::App& to, config::flags& given) {
  return to.add_option("--config", given.config_file, "configuration file (YAML)")
      ->type_name("FILE");
}

std::string with_default(const std::string& description, const std::string& value) {
  return description + " [" + value + "]";
}

/// Adds the flags of `run`, with their defaults.
void add_flags_of_run(CLI::App& to, config::flags& given) {
  const config::options defaults;
  to.add_option("--listen", given.listen,
                with_default("address that clients connect to",
                             to_string(config::listener_options{}.listen)))
      ->type_name("ADDR");
  to.add_option("--upstream", given.upstream, "address of mongos; several for failover")
      ->type_name("ADDR[,ADDR...]");
  to.add_option(
        "--catalog", given.catalog,
        with_default("shard keys: a file, a preset, or mongos to read them from the cluster",
                     defaults.catalog.source))
      ->type_name("FILE|preset:NAME|mongos|off");
  to.add_option(
        "--catalog-uri", given.catalog_uri,
        "connection string of the mongos to read the cluster's shard keys from; other users of "
        "this host can see flags: prefer SCATTERGATE_CATALOG_URI or catalog.uri_file [the "
        "upstream]")
      ->type_name("URI");
  to.add_option("--admin", given.admin,
                with_default("address for metrics, health checks and the web page",
                             to_string(defaults.admin)))
      ->type_name("ADDR");
  to.add_option("--audit", given.audit,
                with_default("audit log; - is standard output", defaults.audit.file))
      ->type_name("FILE|-|off");
  to.add_option("--threads", given.threads, "worker threads [2, or the CPU quota if less]")
      ->type_name("N");
}

void add_run(CLI::App& program, config::flags& given, int& status) {
  CLI::App* run_command = program.add_subcommand("run", "Run the proxy");
  add_config_file(*run_command, given);
  add_flags_of_run(*run_command, given);
  run_command->footer(
      "Defaults are in brackets. A flag overrides the environment variable\n"
      "SCATTERGATE_SECTION_KEY, which overrides the file. `scattergate config` prints every "
      "setting.");
  run_command->callback([&] { status = run(given); });
}

void add_check(CLI::App& program, config::flags& given, bool& connects, int& status) {
  CLI::App* check_command = program.add_subcommand(
      "check",
      "Check the configuration without running the proxy: prints FILE:LINE: reason for each "
      "problem; exit status 1 if there is one");
  add_config_file(*check_command, given);
  add_flags_of_run(*check_command, given);
  check_command->add_flag(
      "--connect", connects,
      "also connect to every upstream and to the catalog's mongos, try the web page, and "
      "report addresses in use: a line per step, exit status 1 if one failed");
  check_command->callback([&] { status = check(given, connects); });
}

void add_config(CLI::App& program, config::flags& given, int& status) {
  CLI::App* config_command =
      program.add_subcommand("config", "Print the effective configuration, without secrets");
  add_config_file(*config_command, given);
  config_command->callback([&] { status = show_config(given); });
}

void add_catalog(CLI::App& program, std::string& source, config::flags& given, int& status) {
  CLI::App* catalog_command =
      program.add_subcommand("catalog", "Print a catalog, as a starting point for your own");
  catalog_command
      ->add_option("source", source,
                   "catalog to print: a file, a preset, or mongos (the cluster's, with chunks)")
      ->required()
      ->type_name("FILE|preset:NAME|mongos");
  catalog_command
      ->add_option("--catalog-uri", given.catalog_uri, "connection string of the mongos")
      ->type_name("URI");
  catalog_command->callback([&] { status = print_catalog(source, given); });
}

void add_classify(CLI::App& program, std::string& source, std::string& collection,
                  bool& as_json, std::string& fail_on, int& status) {
  CLI::App* classify_command = program.add_subcommand(
      "classify",
      "Judge commands: reads Extended JSON or mongosh statements, prints one verdict per line");
  classify_command->add_option("--catalog", source, "shard keys: a file or a preset")
      ->envname("SCATTERGATE_CATALOG_SOURCE")
      ->required()
      ->type_name("FILE|preset:NAME");
  classify_command
      ->add_option("--collection", collection,
                   "collection of filters and pipelines in the input")
      ->type_name("DATABASE.COLLECTION");
  classify_command->add_flag("--json", as_json, "print verdicts as JSON");
  classify_command
      ->add_option("--fail-on", fail_on, "scatter: exit status 1 if a command scatters [never]")
      ->type_name("scatter|never");
  classify_command->callback([&] { status = classify(source, collection, as_json, fail_on); });
}

void add_health(CLI::App& program, config::flags& given, int& status) {
  CLI::App* health_command =
      program.add_subcommand("health", "Exit with status 0 if a running proxy is ready");
  add_config_file(*health_command, given);
  health_command
      ->add_option(
          "--admin", given.admin,
          with_default("the proxy's admin address", to_string(config::options{}.admin)))
      ->type_name("ADDR");
  health_command->callback([&] { status = health(given); });
}

void add_completion(CLI::App& program, std::string& shell, int& status) {
  CLI::App* completion_command =
      program.add_subcommand("completion", "Print a shell's completion script");
  completion_command->add_option("shell", shell, "name of the shell")
      ->required()
      ->type_name("bash|zsh|fish");
  completion_command->callback([&] {
    const auto text = completion_for(shell, program);
    if (text) std::fwrite(text->data(), 1, text->size(), stdout);
    if (!text) std::fputs("scattergate completion: expected bash, zsh or fish\n", stderr);
    status = text ? 0 : 2;
  });
}

/// Adds the flags of subcommands that ask a running daemon.
void add_admin_credentials(CLI::App& to, admin_credential_files& given) {
  to.add_option("--token-file", given.token_file,
                "file whose first line is the daemon's admin token")
      ->type_name("FILE");
  to.add_option("--ca-file", given.ca_file,
                "file of the CAs to trust for https:// [the system's]")
      ->type_name("FILE");
}

void add_verify(CLI::App& program, verify_flags& given, int& status) {
  CLI::App* verify_command =
      program.add_subcommand("verify", "Compare verdicts with a mongos's explain plans");
  verify_command->add_option("--uri", given.uri, "connection string of the mongos")
      ->type_name("URI");
  verify_command->add_option("--uri-file", given.uri_file, "file with the connection string")
      ->type_name("FILE");
  verify_command
      ->add_option("--catalog", given.catalog,
                   "shard keys: a file, a preset, or mongos to read them from the cluster")
      ->capture_default_str()
      ->type_name("FILE|preset:NAME|mongos");
  verify_command
      ->add_option("--commands", given.commands,
                   "file of commands, one per line in Extended JSON, as for classify [-, "
                   "standard input]")
      ->type_name("FILE|-");
  verify_command
      ->add_option("--from", given.from,
                   "verify recent commands of the daemon with this admin address instead")
      ->type_name("ADMIN_ADDR");
  add_admin_credentials(*verify_command, given.credentials);
  verify_command->add_flag("--json", given.as_json, "print a JSON object per command");
  verify_command
      ->add_option("--max-per-second", given.max_per_second, "maximum rate of explains")
      ->capture_default_str()
      ->type_name("N");
  verify_command->footer(
      "Sends only explain with the verbosity queryPlanner, which plans without running.\nExit "
      "status: 0 if all verdicts that can be compared agree; 1 if one disagrees; 2 if\na flag, "
      "file or catalog is invalid, mongos can't be reached, or it refuses explain.");
  verify_command->callback([&] { status = verify(given); });
}

void add_baseline(CLI::App& command, baseline_flags& given) {
  command.add_option("--baseline", given.file, "file of accepted findings")->type_name("FILE");
  command
      .add_option("--write-baseline", given.write,
                  "write all current findings to this file, as accepted; keeps why, by and "
                  "until of its entries")
      ->type_name("FILE");
  command.add_option("--fail-on", given.fail_on, "which findings cause exit status 1")
      ->type_name("new|any|never");
}

void add_places(CLI::App& command, place_flags& given) {
  command
      .add_option("--root", given.root,
                  "folder of the repository, for paths of source files [found by .git]")
      ->type_name("DIR");
  command
      .add_option("--default-location", given.otherwise,
                  "where SARIF and other formats of code hosts show a finding if neither a "
                  "comment nor the catalog gives a line")
      ->type_name("FILE[:LINE]");
}

void add_report(CLI::App& program, report_flags& given, int& status) {
  CLI::App* report_command = program.add_subcommand(
      "report", "Report what scatters, from logs, profiles, audit logs or commands");
  report_command
      ->add_option("sources", given.sources,
                   "files (also gzip or zstd), directories, -, http://HOST:PORT or\n"
                   "mongodb://HOST/DATABASE")
      ->required()
      ->type_name("SOURCE...");
  report_command
      ->add_option("--catalog", given.catalog,
                   "shard keys to judge by: the current or planned ones, or mongos to read "
                   "them from the cluster; not needed for audit logs and daemons")
      ->type_name("FILE|preset:NAME|mongos");
  report_command
      ->add_option("--catalog-uri", given.catalog_uri, "connection string of the mongos")
      ->envname("SCATTERGATE_CATALOG_URI")
      ->type_name("URI");
  report_command->add_flag("--compare", given.compare,
                           "show changes from the first of two sources to the second: files, "
                           "directories, reports saved as JSON, daemons");
  report_command
      ->add_option("--as", given.as,
                   "kind of the sources, if it isn't detected: audit, mongos-log, mongod-log, "
                   "profile, query-stats, commands, pcap, recording, state, report")
      ->type_name("KIND");
  report_command->add_option("--format", given.format, "format on standard output")
      ->type_name(std::string{format_names});
  report_command->add_option("--by", given.by, "how to rank the query shapes [cost]")
      ->type_name(std::string{digest::ranking_names});
  report_command
      ->add_option("--top", given.top, "how many query shapes to show; all are counted")
      ->type_name("N");
  report_command
      ->add_option("--since", given.since,
                   "ignore commands before T: a timestamp, a day, or an age such as 24h")
      ->type_name("T");
  report_command->add_option("--until", given.until, "ignore commands at or after T")
      ->type_name("T");
  report_command
      ->add_option("--namespace", given.name_space, "only this namespace: shop.orders, shop.*")
      ->type_name("GLOB");
  report_command
      ->add_option("-o", given.outputs,
                   "file to write; its name determines the format; repeatable")
      ->allow_extra_args(false)
      ->type_name("FILE.json|.html|.md|.txt|.csv|.sarif|.xml");
  add_admin_credentials(*report_command, given.credentials);
  add_baseline(*report_command, given.baseline);
  add_places(*report_command, given.places);
  report_command->callback([&] { status = report(given); });
}

void add_advise(CLI::App& program, advise_flags& given, int& status) {
  CLI::App* advise_command = program.add_subcommand(
      "advise", "Recommend a shard key for each collection, based on its traffic");
  advise_command
      ->add_option(
          "sources", given.sources,
          "as for report: files (also gzip or zstd), directories, - or http://HOST:PORT")
      ->required()
      ->type_name("SOURCE...");
  advise_command
      ->add_option(
          "--catalog", given.catalog,
          "current shard keys: a file, a preset, or mongos to read them from the cluster")
      ->required()
      ->type_name("FILE|preset:NAME|mongos");
  advise_command
      ->add_option("--catalog-uri", given.catalog_uri, "connection string of the mongos")
      ->envname("SCATTERGATE_CATALOG_URI")
      ->type_name("URI");
  advise_command->add_option("--collection", given.collection, "only this collection")
      ->type_name("NS");
  advise_command
      ->add_option("--key", given.keys,
                   "a shard key to evaluate, such as '{tenant: 1, _id: hashed}'; repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY");
  advise_command
      ->add_option("--indexes", given.indexes,
                   "JSON file of getIndexes() output per namespace [with --catalog mongos: "
                   "read from the cluster]")
      ->type_name("FILE");
  advise_command->add_option("--shards", given.shards, "number of shards to assume [3]")
      ->type_name("N");
  advise_command->add_option("--as", given.as, "kind of the sources, if it isn't detected")
      ->type_name("KIND");
  advise_command->add_option("--since", given.since, "ignore commands before T")
      ->type_name("T");
  advise_command->add_option("--until", given.until, "ignore commands at or after T")
      ->type_name("T");
  advise_command->add_option("--format", given.format, "format on standard output")
      ->type_name("text|json|html");
  advise_command->add_flag("--json", given.as_json, "same as --format json");
  add_admin_credentials(*advise_command, given.credentials);
  advise_command->footer(
      "Runs nothing on the cluster, only prints commands for you to run.\nExit status: 0; 2 if "
      "a source could not be read (the others are evaluated).");
  advise_command->callback([&] { status = advise(given); });
}

void add_fleet(CLI::App& program, fleet_flags& given, config::flags& configuration,
               int& status) {
  CLI::App* fleet_command = program.add_subcommand(
      "fleet",
      "Print the commands that prepare the database of a fleet, or the state of each sidecar");
  fleet_command
      ->add_option("action", given.action,
                   "init: print commands for mongosh; status: print what the database knows "
                   "of each sidecar")
      ->required()
      ->type_name("init|status");
  add_config_file(*fleet_command, configuration);
  fleet_command
      ->add_option("--uri-file", given.uri_file,
                   "file with the database's connection string [fleet.uri_file]")
      ->type_name("FILE");
  fleet_command
      ->add_option("--database", given.database,
                   "name of the fleet's database [fleet.database]")
      ->type_name("NAME");
  fleet_command->footer("init runs nothing; status only reads the database.");
  fleet_command->callback([&] { status = fleet(given, configuration); });
}

/// Adds the flags of `gate` that decide what is a finding.
void add_gate_judgement(CLI::App& to, gate_flags& given) {
  to.add_option("--rules", given.rules,
                "configuration file whose rules and comments accept findings")
      ->type_name("FILE");
  to.add_option("--max-fanout", given.max_fanout,
                "most shards that a command may ask; all: fewer than all that own chunks, "
                "where chunks are known [all]")
      ->type_name("all|N");
  to.add_flag("--ignore-failed", given.ignores_failed,
              "leave out findings whose commands all failed at the server");
  to.add_option("--wait", given.wait_seconds,
                "how long to wait for a server that must be up before the program starts")
      ->capture_default_str()
      ->check(CLI::Range(0U, 3600U))
      ->type_name("SECONDS");
}

void add_gate(CLI::App& program, gate_flags& given, int& status) {
  CLI::App* gate_command = program.add_subcommand(
      "gate",
      "Run a program with a proxy in front of its database; fail if its commands scatter");
  gate_command->add_option("--catalog", given.catalog, "shard keys [those of the mongos]")
      ->envname("SCATTERGATE_CATALOG_SOURCE")
      ->type_name("FILE|preset:NAME|mongos");
  gate_command
      ->add_option("--catalog-uri", given.catalog_uri, "connection string of the mongos")
      ->envname("SCATTERGATE_CATALOG_URI")
      ->type_name("URI");
  gate_command->add_option("--upstream", given.upstream, "address of the mongos or mongod")
      ->type_name("ADDR[,ADDR...]");
  gate_command
      ->add_option("--env", given.variables,
                   "environment variable with the program's connection string; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME");
  gate_command
      ->add_option("--listen", given.listen,
                   "address that the program connects to, if the program can't be configured "
                   "[a free port]")
      ->type_name("ADDR");
  gate_command
      ->add_option("--admin", given.admin,
                   "address of metrics and web page while the program runs")
      ->type_name("ADDR");
  gate_command->add_flag("--test-marker", given.has_test_marker,
                         "accept the running test's name at the URL in the variable "
                         "SCATTERGATE_TEST_MARKER");
  gate_command
      ->add_option("--format", given.format,
                   "report format on standard error, after the program has ended")
      ->type_name(std::string{format_names});
  gate_command
      ->add_option("-o", given.outputs,
                   "file to write; its name determines the format; repeatable")
      ->allow_extra_args(false)
      ->type_name("FILE.json|.html|.md|.txt|.csv|.sarif|.xml");
  add_baseline(*gate_command, given.baseline);
  add_places(*gate_command, given.places);
  gate_command->add_flag("--require-match,!--no-require-match", given.requires_match,
                         "exit status 2 if the program uses no collection that the catalog "
                         "shards [on if CI=true]");
  add_gate_judgement(*gate_command, given);
  gate_command
      ->add_option("--from", given.from,
                   "judge what went through the running proxy with this admin address, instead "
                   "of running a program")
      ->type_name("http://HOST:PORT");
  add_admin_credentials(*gate_command, given.credentials);
  gate_command->get_option("--token-file")->envname("SCATTERGATE_ADMIN_TOKEN_FILE");
  gate_command->add_option("command", given.command, "the program to run, after --")
      ->type_name("-- COMMAND ARGS...");
  gate_command->footer(
      "Exit status: COMMAND's if it isn't 0; else 1 if --fail-on [new] says so; 2 if the "
      "gate\nitself fails.");
  gate_command->callback([&] { status = gate(given); });
}

int run_program(int argc, char** argv) {
  CLI::App program{"scattergate: judges, counts and audits how mongos routes every command",
                   "scattergate"};
  program.set_version_flag("--version",
                           "scattergate " + std::string{telemetry::this_build().version});
  program.require_subcommand(1);
  config::flags given;
  std::string source;
  std::string collection;
  std::string fail_on{"never"};
  std::string shell;
  bool as_json = false;
  bool connects = false;
  verify_flags verify_given;
  report_flags report_given;
  advise_flags advise_given;
  fleet_flags fleet_given;
  gate_flags gate_given;
  gate_given.requires_match = requires_match_by_default();
  int status = 0;
  add_run(program, given, status);
  add_check(program, given, connects, status);
  add_config(program, given, status);
  add_catalog(program, source, given, status);
  add_classify(program, source, collection, as_json, fail_on, status);
  add_report(program, report_given, status);
  add_advise(program, advise_given, status);
  add_fleet(program, fleet_given, given, status);
  add_gate(program, gate_given, status);
  add_verify(program, verify_given, status);
  add_health(program, given, status);
  add_completion(program, shell, status);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    std::ostringstream help;
    std::ostringstream problem;
    const int exit_code = program.exit(wrong, help, problem);
    std::cout << help.str();
    const std::string shown = text::printable_lines(config::hide_passwords(problem.str()));
    std::fputs((shown + suggestion_for(program, argc, argv)).c_str(), stderr);
    return exit_code == 0 ? 0 : 2;
  }
  return status;
}

}  // namespace
}  // namespace scattergate::app

int main(int argc, char** argv) {
  if (const auto served = scattergate::config::serve_driver_if_asked(argc, argv)) {
    return *served;
  }
  int status = 1;
  try {
    status = scattergate::app::run_program(argc, argv);
  } catch (const std::exception& failure) {
    scattergate::app::write_line(stderr, std::string{"scattergate: "} + failure.what());
  }
  return scattergate::app::leave(status);
}
