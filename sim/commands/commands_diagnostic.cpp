#include <array>

#include "sim/execution/arguments.hpp"
#include "sim/execution/command.hpp"
#include "sim/values/error.hpp"
#include "sim/values/hashing.hpp"

/// Commands used by monitoring and shells.
namespace scattergate::sim {
namespace {

document run_server_status(context& at) {
  const std::int64_t up_ms = now_millis() - at.all.started_ms;
  return {{"host", "scattergate-sim"},
          {"version", at.all.data.simulated_release().version()},
          {"process", "mongos"},
          {"uptime", static_cast<double>(up_ms) / 1000},
          {"uptimeMillis", up_ms},
          {"localTime", date{now_millis()}},
          {"connections", document{{"current", static_cast<std::int32_t>(at.all.connections)}}},
          {"network", document{{"numRequests", at.all.commands}}},
          {"metrics",
           document{{"cursor",
                     document{{"open", document{{"total", static_cast<std::int64_t>(
                                                              at.all.cursors.size())}}}}}}}};
}

document run_get_parameter(context& at) {
  document out;
  const auto* asked = at.in.body.front().content.as<std::string>();
  const bool all = asked != nullptr && *asked == "*";
  for (const field& known :
       document{{"featureCompatibilityVersion",
                 document{{"version", at.all.data.simulated_release().name}}},
                {"authenticationMechanisms", array{"SCRAM-SHA-1", "SCRAM-SHA-256"}}}) {
    if (all || flag_argument(at.in.body, known.name)) out.append(known.name, known.content);
  }
  if (out.empty()) refuse(errc::invalid_options, "no option found to get");
  return out;
}

document run_whats_my_uri(context& at) {
  return {{"you", at.client.remote}};
}

document run_host_info(context&) {
  return {{"system", document{{"currentTime", date{now_millis()}},
                              {"hostname", "scattergate-sim"},
                              {"cpuAddrSize", std::int32_t{64}}}},
          {"os", document{{"type", "Linux"}, {"name", "scattergate-sim"}}},
          {"extra", document{}}};
}

document run_command_line(context&) {
  return {{"argv", array{"scattergate-sim"}}, {"parsed", document{}}};
}

document run_get_log(context& at) {
  if (text_argument(at.in.body, at.in.name) == "*") {
    return {{"names", array{"global", "startupWarnings"}}};
  }
  return {{"totalLinesWritten", std::int32_t{0}}, {"log", array{}}};
}

document run_current_op(context&) {
  return {{"inprog", array{}}};
}

document run_list_commands(context&) {
  document out;
  for (const command_spec& each : all_commands()) {
    out.append(each.name, document{{"requiresAuth", !each.needs_no_user}});
  }
  return {{"commands", std::move(out)}};
}

}  // namespace

std::span<const command_spec> diagnostic_commands() {
  static constexpr std::array all{
      command_spec{"serverStatus", run_server_status},
      command_spec{"getParameter", run_get_parameter},
      command_spec{"whatsmyuri", run_whats_my_uri, true},
      command_spec{"hostInfo", run_host_info},
      command_spec{"getCmdLineOpts", run_command_line},
      command_spec{"getLog", run_get_log},
      command_spec{"currentOp", run_current_op},
      command_spec{"listCommands", run_list_commands, true},
  };
  return all;
}

}  // namespace scattergate::sim
