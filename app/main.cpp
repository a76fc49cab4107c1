#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>

#include "app/advise.hpp"
#include "app/completion.hpp"
#include "app/gate.hpp"
#include "app/report.hpp"
#include "app/report_output.hpp"
#include "app/subcommands.hpp"
#include "app/suggestion.hpp"
#include "app/terminal.hpp"
#include "app/verify.hpp"
#include "digest/ranking.hpp"
#include "telemetry/metrics/build_info.hpp"

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
  to.add_option(
        "--listen", given.listen,
        with_default("where clients connect", to_string(config::listener_options{}.listen)))
      ->type_name("ADDR");
  to.add_option("--upstream", given.upstream, "mongos, or several for fail-over")
      ->type_name("ADDR[,ADDR...]");
  to.add_option("--catalog", given.catalog,
                with_default("shard keys; mongos: the cluster's", defaults.catalog.source))
      ->type_name("FILE|preset:NAME|mongos|off");
  to.add_option("--catalog-uri", given.catalog_uri,
                "of the mongos to read the cluster's from; others may see a flag: prefer "
                "SCATTERGATE_CATALOG_URI or catalog.uri_file [the upstream]")
      ->type_name("URI");
  to.add_option("--admin", given.admin,
                with_default("metrics, health and page", to_string(defaults.admin)))
      ->type_name("ADDR");
  to.add_option("--audit", given.audit,
                with_default("audit log; - is standard output", defaults.audit.file))
      ->type_name("FILE|-|off");
  to.add_option("--threads", given.threads, "workers [2, or the CPU quota where that is less]")
      ->type_name("N");
}

void add_run(CLI::App& program, config::flags& given, int& status) {
  CLI::App* run_command = program.add_subcommand("run", "Proxy, judge, count and audit");
  add_config_file(*run_command, given);
  add_flags_of_run(*run_command, given);
  run_command->footer(
      "In brackets: what holds where neither a flag nor SCATTERGATE_SECTION_KEY nor the file\n"
      "says otherwise. `scattergate config` prints every setting.");
  run_command->callback([&] { status = run(given); });
}

void add_check(CLI::App& program, config::flags& given, bool& connects, int& status) {
  CLI::App* check_command = program.add_subcommand(
      "check", "Say what run would refuse: FILE:LINE: reason, exit 0 or 1; and warnings");
  add_config_file(*check_command, given);
  add_flags_of_run(*check_command, given);
  check_command->add_flag("--connect", connects,
                          "also try every upstream, the catalog's mongos and the page: a line "
                          "for each step, exit 1 where one failed");
  check_command->callback([&] { status = check(given, connects); });
}

void add_config(CLI::App& program, config::flags& given, int& status) {
  CLI::App* config_command =
      program.add_subcommand("config", "Print the effective configuration, secrets hidden");
  add_config_file(*config_command, given);
  config_command->callback([&] { status = show_config(given); });
}

void add_catalog(CLI::App& program, std::string& source, config::flags& given, int& status) {
  CLI::App* catalog_command =
      program.add_subcommand("catalog", "Print a catalog, to start one's own from");
  catalog_command->add_option("source", source, "shard keys; mongos: a cluster's, with chunks")
      ->required()
      ->type_name("FILE|preset:NAME|mongos");
  catalog_command->add_option("--catalog-uri", given.catalog_uri, "of the mongos")
      ->type_name("URI");
  catalog_command->callback([&] { status = print_catalog(source, given); });
}

void add_classify(CLI::App& program, std::string& source, bool& as_json, int& status) {
  CLI::App* classify_command = program.add_subcommand(
      "classify", "Judge commands: one in Extended JSON a line in, one verdict a line out");
  classify_command->add_option("--catalog", source, "shard keys")
      ->required()
      ->type_name("FILE|preset:NAME");
  classify_command->add_flag("--json", as_json, "verdicts as JSON");
  classify_command->callback([&] { status = classify(source, as_json); });
}

void add_health(CLI::App& program, config::flags& given, int& status) {
  CLI::App* health_command =
      program.add_subcommand("health", "Exit 0 where a running proxy is ready");
  add_config_file(*health_command, given);
  health_command
      ->add_option("--admin", given.admin,
                   with_default("its admin address", to_string(config::options{}.admin)))
      ->type_name("ADDR");
  health_command->callback([&] { status = health(given); });
}

void add_completion(CLI::App& program, std::string& shell, int& status) {
  CLI::App* completion_command = program.add_subcommand(
      "completion", "Print what a shell reads to complete the command line");
  completion_command->add_option("shell", shell, "which one")
      ->required()
      ->type_name("bash|zsh|fish");
  completion_command->callback([&] {
    const auto text = completion_for(shell, program);
    if (text) std::fwrite(text->data(), 1, text->size(), stdout);
    if (!text) std::fputs("scattergate completion: bash, zsh or fish\n", stderr);
    status = text ? 0 : 2;
  });
}

/// Adds the flags of subcommands that ask a running daemon.
void add_guard(CLI::App& to, admin_guard_flags& given) {
  to.add_option("--token-file", given.token_file,
                "first line: the token of the daemon that is asked")
      ->type_name("FILE");
  to.add_option("--ca-file", given.ca_file, "whom https:// trusts; else the system's CAs")
      ->type_name("FILE");
}

void add_verify(CLI::App& program, verify_flags& given, int& status) {
  CLI::App* verify_command = program.add_subcommand(
      "verify", "Have a mongos explain commands, and hold the verdicts against its plans");
  verify_command->add_option("--uri", given.uri, "connection string of the mongos")
      ->type_name("URI");
  verify_command->add_option("--uri-file", given.uri_file, "file with the connection string")
      ->type_name("FILE");
  verify_command
      ->add_option("--catalog", given.catalog, "shard keys; mongos: those of the cluster")
      ->capture_default_str()
      ->type_name("FILE|preset:NAME|mongos");
  verify_command
      ->add_option("--commands", given.commands,
                   "one command in Extended JSON a line, as classify reads them; - by default")
      ->type_name("FILE|-");
  verify_command
      ->add_option("--from", given.from, "instead: what a running daemon has seen lately")
      ->type_name("ADMIN_ADDR");
  add_guard(*verify_command, given.guard);
  verify_command->add_flag("--json", given.as_json, "a JSON object for every command");
  verify_command->add_option("--max-per-second", given.max_per_second, "explains sent at most")
      ->capture_default_str()
      ->type_name("N");
  verify_command->footer(
      "Sends nothing but explain with the verbosity queryPlanner, which plans and doesn't "
      "run.\n"
      "Exit status: 0 all that could be compared agrees; 1 something disagrees; 2 something\n"
      "could not be done: a flag, a file, the catalog, a mongos out of reach, a refused "
      "explain.");
  verify_command->callback([&] { status = verify(given); });
}

void add_baseline(CLI::App& command, baseline_flags& given) {
  command.add_option("--baseline", given.file, "findings that are accepted")->type_name("FILE");
  command
      .add_option("--write-baseline", given.write,
                  "accept what is found; keeps why, by and until")
      ->type_name("FILE");
  command.add_option("--fail-on", given.fail_on, "which findings make the exit status 1")
      ->type_name("new|any|never");
}

void add_report(CLI::App& program, report_flags& given, int& status) {
  CLI::App* report_command = program.add_subcommand(
      "report", "Tell what scatters, from logs, profiles, audit logs or commands");
  report_command
      ->add_option("sources", given.sources,
                   "files (gzip and zstd too), folders; -; http://HOST:PORT")
      ->required()
      ->type_name("SOURCE...");
  report_command
      ->add_option("--catalog", given.catalog,
                   "shard keys, which may be ones that don't exist yet; mongos: the cluster's; "
                   "not needed for what a proxy has judged")
      ->type_name("FILE|preset:NAME|mongos");
  report_command->add_option("--catalog-uri", given.catalog_uri, "of the mongos")
      ->envname("SCATTERGATE_CATALOG_URI")
      ->type_name("URI");
  report_command->add_flag("--compare", given.compare,
                           "what changed from the first of two sources to the second: files, "
                           "folders, reports saved as JSON, daemons");
  report_command
      ->add_option("--as", given.as,
                   "what the sources are, where they don't tell: audit, mongos-log, "
                   "mongod-log, profile, query-stats, commands, pcap, recording, state, report")
      ->type_name("KIND");
  report_command->add_option("--format", given.format, "on standard output")
      ->type_name(std::string{format_names});
  report_command->add_option("--by", given.by, "which shapes come first; cost by default")
      ->type_name(std::string{digest::ranking_names});
  report_command->add_option("--top", given.top, "how many shapes are told; all are counted")
      ->type_name("N");
  report_command
      ->add_option("--since", given.since,
                   "what came from then on: a time, a day, or how long ago")
      ->type_name("T");
  report_command->add_option("--until", given.until, "what came before then, likewise")
      ->type_name("T");
  report_command
      ->add_option("--namespace", given.name_space, "what is about it: shop.orders, shop.*")
      ->type_name("GLOB");
  report_command
      ->add_option("-o", given.outputs,
                   "file to write, as often as wanted; its name tells the format")
      ->allow_extra_args(false)
      ->type_name("FILE.json|.html|.md|.txt|.csv|.sarif|.xml");
  add_guard(*report_command, given.guard);
  add_baseline(*report_command, given.baseline);
  report_command->callback([&] { status = report(given); });
}

void add_advise(CLI::App& program, advise_flags& given, int& status) {
  CLI::App* advise_command = program.add_subcommand(
      "advise", "Say which shard key would serve each collection's traffic best, and why");
  advise_command
      ->add_option("sources", given.sources,
                   "as report's: files (gzip and zstd too), folders; -; http://HOST:PORT")
      ->required()
      ->type_name("SOURCE...");
  advise_command
      ->add_option("--catalog", given.catalog, "present shard keys; mongos: the cluster's")
      ->required()
      ->type_name("FILE|preset:NAME|mongos");
  advise_command->add_option("--catalog-uri", given.catalog_uri, "of the mongos")
      ->envname("SCATTERGATE_CATALOG_URI")
      ->type_name("URI");
  advise_command->add_option("--collection", given.collection, "one collection; all by default")
      ->type_name("NS");
  advise_command
      ->add_option("--key", given.keys,
                   "a shard key to weigh, as often as wanted: '{tenant: 1, _id: hashed}'")
      ->allow_extra_args(false)
      ->type_name("KEY");
  advise_command
      ->add_option(
          "--indexes", given.indexes,
          "what getIndexes() prints, by namespace; with --catalog mongos, the cluster's")
      ->type_name("FILE");
  advise_command
      ->add_option("--shards", given.shards, "how many, with equal chunks; 3 by default")
      ->type_name("N");
  advise_command->add_option("--as", given.as, "what the sources are, where they don't tell")
      ->type_name("KIND");
  advise_command->add_option("--since", given.since, "what came from then on")->type_name("T");
  advise_command->add_option("--until", given.until, "what came before then")->type_name("T");
  advise_command->add_option("--format", given.format, "on standard output")
      ->type_name("text|json|html");
  advise_command->add_flag("--json", given.as_json, "the same as --format json");
  add_guard(*advise_command, given.guard);
  advise_command->footer(
      "It runs nothing on the cluster: the commands that it prints are for you to run.\n"
      "Exit status: 0; 2 where a source could not be read, and what could be was weighed.");
  advise_command->callback([&] { status = advise(given); });
}

void add_gate(CLI::App& program, gate_flags& given, int& status) {
  CLI::App* gate_command = program.add_subcommand(
      "gate", "Run a command with a proxy before its server, and fail where it scatters");
  gate_command->add_option("--catalog", given.catalog, "shard keys; a mongos's own by default")
      ->type_name("FILE|preset:NAME|mongos");
  gate_command->add_option("--catalog-uri", given.catalog_uri, "of the mongos")
      ->envname("SCATTERGATE_CATALOG_URI")
      ->type_name("URI");
  gate_command->add_option("--upstream", given.upstream, "mongos or mongod")
      ->type_name("ADDR[,ADDR...]");
  gate_command
      ->add_option("--env", given.variables,
                   "a variable with the connection string that the command uses")
      ->allow_extra_args(false)
      ->type_name("NAME");
  gate_command
      ->add_option("--listen", given.listen,
                   "where the command connects, where it can't be told; a free port by default")
      ->type_name("ADDR");
  gate_command->add_option("--admin", given.admin, "metrics and page while the command runs")
      ->type_name("ADDR");
  gate_command->add_option("--format", given.format, "on standard error, when it has ended")
      ->type_name(std::string{format_names});
  gate_command->add_option("-o", given.outputs, "files to write; the name tells the format")
      ->allow_extra_args(false)
      ->type_name("FILE.json|.html|.md|.txt|.csv|.sarif|.xml");
  add_baseline(*gate_command, given.baseline);
  gate_command->add_flag("--require-match,!--no-require-match", given.requires_match,
                         "status 2 where nothing that was sent is on a collection that the "
                         "catalog shards; on where CI=true");
  gate_command->add_option("command", given.command, "what to run, behind --")
      ->required()
      ->type_name("-- COMMAND ARGS...");
  gate_command->footer(
      "Exit status: that of COMMAND where it isn't 0; else 1 where --fail-on (new by default) "
      "says\n"
      "so, 2 for trouble of the gate's own.");
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
  std::string shell;
  bool as_json = false;
  bool connects = false;
  verify_flags verify_given;
  report_flags report_given;
  advise_flags advise_given;
  gate_flags gate_given;
  gate_given.requires_match = requires_match_by_default();
  int status = 0;
  add_run(program, given, status);
  add_check(program, given, connects, status);
  add_config(program, given, status);
  add_catalog(program, source, given, status);
  add_classify(program, source, as_json, status);
  add_report(program, report_given, status);
  add_advise(program, advise_given, status);
  add_gate(program, gate_given, status);
  add_verify(program, verify_given, status);
  add_health(program, given, status);
  add_completion(program, shell, status);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    if (program.exit(wrong) == 0) return 0;
    std::fputs(suggestion_for(program, argc, argv).c_str(), stderr);
    return 2;
  }
  return status;
}

}  // namespace
}  // namespace scattergate::app

int main(int argc, char** argv) {
  try {
    return scattergate::app::run_program(argc, argv);
  } catch (const std::exception& failure) {
    scattergate::app::write_line(stderr, std::string{"scattergate: "} + failure.what());
    return 1;
  }
}
