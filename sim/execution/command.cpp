#include "sim/execution/command.hpp"

#include <map>

#include "sim/values/error.hpp"
#include "sim/values/hashing.hpp"

namespace scattergate::sim {
namespace {

const std::map<std::string_view, command_spec>& vocabulary() {
  static const auto all = [] {
    std::map<std::string_view, command_spec> out;
    for (const auto& group :
         {handshake_commands(), session_commands(), diagnostic_commands(), read_commands(),
          write_commands(), explain_commands(), definition_commands(), sharding_commands()}) {
      for (const command_spec& each : group) out.emplace(each.name, each);
    }
    return out;
  }();
  return all;
}

}  // namespace

state::state(std::size_t shard_count)
    : data(shard_count), process(new_object_id()), started_ms(now_millis()) {}

void state::record(std::vector<data_change> committed) {
  constexpr std::size_t most_changes = 10'000;
  for (data_change& each : committed) {
    each.time = data.tick();
    changes.kept.push_back(std::move(each));
    if (changes.kept.size() <= most_changes) continue;
    changes.forgotten = changes.kept.front().time;
    changes.kept.pop_front();
  }
}

std::string context::ns() const {
  std::string full = ns_or_view();
  check_no_view(all.data, full);
  return full;
}

std::string context::ns_or_view() const {
  const auto* name = in.body.front().content.as<std::string>();
  if (name == nullptr) refuse(errc::invalid_namespace, "collection name has invalid type");
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
