#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>

#include "app/report.hpp"
#include "app/subcommands.hpp"
#include "app/verify.hpp"
#include "config/text/problem.hpp"
#include "telemetry/metrics/build_info.hpp"

namespace scattergate::app {
namespace {

void add_run(CLI::App& program, config::flags& given, int& status) {
  CLI::App* run_command = program.add_subcommand("run", "Proxy, judge, count and audit");
  run_command->add_option("--config", given.config_file, "configuration file (YAML)")
      ->type_name("FILE");
  run_command->add_option("--listen", given.listen, "where clients connect")->type_name("ADDR");
  run_command->add_option("--upstream", given.upstream, "mongos, or several for fail-over")
      ->type_name("ADDR[,ADDR...]");
  run_command
      ->add_option("--catalog", given.catalog, "shard keys; mongos, the default: the cluster's")
      ->type_name("FILE|preset:NAME|mongos|off");
  run_command
      ->add_option("--catalog-uri", given.catalog_uri,
                   "of the mongos to read the cluster's from; others may see a flag: prefer "
                   "SCATTERGATE_CATALOG_URI or catalog.uri_file")
      ->type_name("URI");
  run_command->add_option("--admin", given.admin, "metrics, health and page")
      ->type_name("ADDR");
  run_command->add_option("--audit", given.audit, "audit log; - is standard output")
      ->type_name("FILE|-|off");
  run_command->add_option("--threads", given.threads, "workers")->type_name("N");
  run_command->callback([&] { status = run(given); });
}

void add_check(CLI::App& program, config::flags& given, int& status) {
  CLI::App* check_command = program.add_subcommand(
      "check", "Validate a configuration: FILE:LINE: reason, exit 0 or 1");
  check_command->add_option("--config", given.config_file, "configuration file")
      ->required()
      ->type_name("FILE");
  check_command->callback([&] { status = check(given); });
}

void add_config(CLI::App& program, config::flags& given, int& status) {
  CLI::App* config_command =
      program.add_subcommand("config", "Print the effective configuration, secrets hidden");
  config_command->add_option("--config", given.config_file, "configuration file")
      ->type_name("FILE");
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

void add_health(CLI::App& program, std::optional<std::string>& admin, int& status) {
  CLI::App* health_command =
      program.add_subcommand("health", "Exit 0 where a running proxy is ready");
  health_command->add_option("--admin", admin, "its admin address")->type_name("ADDR");
  health_command->callback([&] { status = health(admin); });
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

void add_report(CLI::App& program, report_flags& given, int& status) {
  CLI::App* report_command = program.add_subcommand(
      "report", "Tell what scatters, from logs, profiles, audit logs or commands");
  report_command->add_option("sources", given.sources, "files (gzip and zstd too), folders; -")
      ->required()
      ->type_name("SOURCE...");
  report_command
      ->add_option("--catalog", given.catalog,
                   "shard keys, which may be ones that don't exist yet; mongos: the cluster's")
      ->required()
      ->type_name("FILE|preset:NAME|mongos");
  report_command->add_option("--catalog-uri", given.catalog_uri, "of the mongos")
      ->envname("SCATTERGATE_CATALOG_URI")
      ->type_name("URI");
  report_command
      ->add_option("--as", given.as,
                   "what the sources are, where they don't tell: audit, mongos-log, "
                   "mongod-log, profile, "
                   "commands, pcap, recording")
      ->type_name("KIND");
  report_command->add_option("--format", given.format, "on standard output")
      ->type_name("text|json|html|markdown");
  report_command->add_option("-o", given.outputs, "files to write; the name tells the format")
      ->type_name("FILE.json|FILE.html|FILE.md|FILE.txt");
  report_command->callback([&] { status = report(given); });
}

int run_program(int argc, char** argv) {
  CLI::App program{"scattergate: judges, counts and audits how mongos routes every command",
                   "scattergate"};
  program.set_version_flag("--version",
                           "scattergate " + std::string{telemetry::this_build().version});
  program.require_subcommand(1);
  config::flags given;
  std::optional<std::string> admin;
  std::string source;
  bool as_json = false;
  verify_flags verify_given;
  report_flags report_given;
  int status = 0;
  add_run(program, given, status);
  add_check(program, given, status);
  add_config(program, given, status);
  add_catalog(program, source, given, status);
  add_classify(program, source, as_json, status);
  add_report(program, report_given, status);
  add_verify(program, verify_given, status);
  add_health(program, admin, status);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    return program.exit(wrong) == 0 ? 0 : 2;
  }
  return status;
}

}  // namespace
}  // namespace scattergate::app

int main(int argc, char** argv) {
  try {
    return scattergate::app::run_program(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "scattergate: %s\n",
                 scattergate::config::printable(failure.what()).c_str());
    return 1;
  }
}
