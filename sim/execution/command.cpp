#include "sim/execution/command.hpp"

#include <map>

#include "sim/values/error.hpp"
#include "sim/values/identity.hpp"

namespace scattergate::sim {
namespace {

const std::map<std::string_view, command_spec>& vocabulary() {
  static const auto all = [] {
    std::map<std::string_view, command_spec> out;
    for (const auto& group : {handshake_commands(), authentication_commands(),
                              session_commands(), diagnostic_commands(), read_commands(),
                              write_commands(), definition_commands(), sharding_commands()}) {
      for (const command_spec& each : group) out.emplace(each.name, each);
    }
    return out;
  }();
  return all;
}

}  // namespace

state::state(std::size_t shard_count)
    : data(shard_count), process(new_object_id()), started_ms(now_millis()) {}

std::string context::ns() const {
  const auto* name = in.body.front().content.as<std::string>();
  if (name == nullptr) {
    throw command_failure(errc::invalid_namespace, "collection name has invalid type");
  }
  std::string full = in.db + "." + *name;
  static_cast<void>(split_ns(full));
  return full;
}

const command_spec* find_command(std::string_view name) {
  const auto known = vocabulary().find(name);
  return known == vocabulary().end() ? nullptr : &known->second;
}

std::vector<command_spec> all_commands() {
  std::vector<command_spec> out;
  for (const auto& [name, each] : vocabulary()) out.push_back(each);
  return out;
}

}  // namespace scattergate::sim
