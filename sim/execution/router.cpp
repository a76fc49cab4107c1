#include "sim/execution/router.hpp"

#include "sim/execution/arguments.hpp"
#include "sim/storage/config_db.hpp"

namespace scattergate::sim {

read_result read(context& at, const read_request& what) {
  const matcher match{what.filter, what.names};
  read_result out;
  if (auto synthetic = config_collection(at.all.data, what.ns)) {
    for (document& each : *synthetic) {
      if (match.matches(each)) {
        out.documents.push_back(std::make_shared<const document>(std::move(each)));
      }
    }
    return out;
  }
  const collection* of = at.all.data.find(what.ns);
  out.asked = at.all.data.target_of(of, what.ns, what.filter, what.compares_simply).shards;
  note_reached(at, out.asked, what.command);
  if (what.counted) note_hosts(at, what.ns, *what.counted, out.asked.size());
  if (of == nullptr) return out;
  for (const shard_index each : out.asked) {
    for (auto& [id, content] :
         at.all.data.store_of(each, *of)->find(what.filter, match, at.unit, what.limit)) {
      out.documents.push_back(std::move(content));
    }
  }
  return out;
}

std::set<shard_index> read_targets(const context& at, const std::string& ns,
                                   const document& filter, bool simply) {
  if (config_collection(at.all.data, ns)) return {};
  return at.all.data.target_of(at.all.data.find(ns), ns, filter, simply).shards;
}

void note_reached(context& at, const std::set<shard_index>& shards, std::string_view command) {
  for (const shard_index each : shards) {
    ++at.all.data.shards()[each].commands[std::string{command}];
  }
}

void note_hosts(context& at, const std::string& ns, counted_command command,
                std::size_t targeted) {
  const collection* of = at.all.data.find(ns);
  const bool spread = of != nullptr && of->spread;
  at.all.hosts.add(command, targeted, spread ? of->spread->chunks.owners().size() : 0);
}

bool compares_simply(const context& at, const std::string& ns, const document& arguments) {
  const collection* of = at.all.data.find(ns);
  const document& given = document_argument(arguments, "collation");
  if (!given.empty()) return text_argument(given, "locale") == "simple";
  if (of == nullptr) return true;
  const document& otherwise = document_argument(of->options, "collation");
  return otherwise.empty() || text_argument(otherwise, "locale") == "simple";
}

}  // namespace scattergate::sim
