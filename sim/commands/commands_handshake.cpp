#include <algorithm>
#include <array>

#include "sim/commands/commands_authentication.hpp"
#include "sim/execution/arguments.hpp"
#include "sim/execution/command.hpp"
#include "sim/execution/compression.hpp"
#include "sim/values/error.hpp"
#include "sim/values/identity.hpp"
#include "wire/limits.hpp"

/// hello and its older names, ping, buildInfo: the first commands of a driver.
namespace scattergate::sim {
namespace {

/// A monitor that knows the topologyVersion waits: nothing ever changes here.
void await_change(context& at) {
  const document& known = document_argument(at.in.body, "topologyVersion");
  const value* wait = argument(at.in.body, "maxAwaitTimeMS");
  if (known.empty() != (wait == nullptr)) {
    throw command_failure(static_cast<errc>(31368),
                          "A request with topologyVersion must include maxAwaitTimeMS");
  }
  if (wait == nullptr) return;
  constexpr std::int64_t longest_ms = 60'000;
  const value* process = known.find("processId");
  const auto* id = process == nullptr ? nullptr : process->as<object_id>();
  at.streams = at.in.exhaust_allowed;
  if (id == nullptr || id->bytes != at.all.process.bytes) return;
  at.delay =
      std::chrono::milliseconds{std::clamp<std::int64_t>(wait->as_int64(), 0, longest_ms)};
}

document run_hello(context& at) {
  await_change(at);
  const bool modern = at.in.name == "hello";
  document out{
      {modern ? "isWritablePrimary" : "ismaster", true},
      {"msg", "isdbgrid"},
      {"topologyVersion",
       document{{"processId", at.all.process}, {"counter", std::int64_t{0}}}},
      {"maxBsonObjectSize", std::int32_t{16 * 1024 * 1024}},
      {"maxMessageSizeBytes", static_cast<std::int32_t>(wire::limits::max_message_bytes)},
      {"maxWriteBatchSize", std::int32_t{100'000}},
      {"localTime", date{now_millis()}},
      {"logicalSessionTimeoutMinutes", std::int32_t{30}},
      {"connectionId", static_cast<std::int32_t>(at.client.id)},
      {"maxWireVersion", at.all.data.simulated_release().max_wire_version},
      {"minWireVersion", std::int32_t{0}}};
  if (flag_argument(at.in.body, "helloOk")) out.append("helloOk", true);
  array agreed = agreed_compressors(at.in.body);
  if (!agreed.empty()) out.append("compression", std::move(agreed));
  const std::string asked = text_argument(at.in.body, "saslSupportedMechs");
  const std::size_t dot = asked.find('.');
  if (dot != std::string::npos && at.all.users.has(asked.substr(dot + 1))) {
    out.append("saslSupportedMechs", array{"SCRAM-SHA-1", "SCRAM-SHA-256"});
  }
  speculate(at, out);
  out.append("ok", 1.0);
  return out;
}

document run_ping(context&) {
  return {};
}

document run_build_info(context& at) {
  const release& as = at.all.data.simulated_release();
  return {
      {"version", as.version()},
      {"versionArray", array{std::int32_t{as.name.front() - '0'},
                             std::int32_t{as.name.back() - '0'}, as.patch, std::int32_t{0}}},
      {"gitVersion", "scattergate-sim"},
      {"modules", array{}},
      {"scattergateSimulator", true},
      {"note", "This is scattergate-sim, a simulator for tests and demos. It is not MongoDB."},
      {"bits", std::int32_t{64}},
      {"debug", false},
      {"maxBsonObjectSize", std::int32_t{16 * 1024 * 1024}},
      {"storageEngines", array{}}};
}

constexpr std::array handshake_specs{
    command_spec{"hello", run_hello, true},
    command_spec{"isMaster", run_hello, true},
    command_spec{"ismaster", run_hello, true},
    command_spec{"ping", run_ping, true},
    command_spec{"buildInfo", run_build_info, true},
    command_spec{"buildinfo", run_build_info, true},
};

}  // namespace

std::span<const command_spec> handshake_commands() {
  return handshake_specs;
}

}  // namespace scattergate::sim
