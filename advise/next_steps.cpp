#include "advise/next_steps.hpp"

#include "text/json_writer.hpp"

namespace scattergate::advise {
namespace {

constexpr routing::server_version has_refine{4, 4};
constexpr routing::server_version has_reshard{5, 0};
constexpr routing::server_version has_analyze{7, 0};

std::string quoted(std::string_view text) {
  std::string made;
  text::append_json_string(made, text);
  return made;
}

std::string create_index(std::string_view name_space, const std::string& key) {
  const std::size_t dot = name_space.find('.');
  return "db.getSiblingDB(" + quoted(name_space.substr(0, dot)) + ").getCollection(" +
         quoted(name_space.substr(dot + 1)) + ").createIndex(" + key + ")";
}

}  // namespace

std::vector<std::string> next_steps(std::string_view name_space,
                                    const std::optional<shard_key>& present,
                                    const shard_key& key, routing::server_version version,
                                    bool is_safe) {
  std::vector<std::string> made;
  if (name_space.find('.') == name_space.npos) return made;
  const std::string ns = quoted(name_space);
  const std::string text = key_text(key);
  if (version >= has_analyze) {
    made.push_back(
        "db.adminCommand({configureQueryAnalyzer: " + ns +
        ", mode: \"full\", samplesPerSecond: 5})  // samples from now on: wait a day");
    made.push_back("db.adminCommand({analyzeShardKey: " + ns + ", key: " + text + "})");
  }
  if (!is_safe || (present && is_same_key(*present, key))) return made;
  const bool is_refinement = present && is_refinement_of(key, *present);
  const bool needs_index = !present || (is_refinement && version >= has_refine);
  if (needs_index) made.push_back(create_index(name_space, text));
  if (!present) {
    made.push_back("db.adminCommand({shardCollection: " + ns + ", key: " + text + "})");
  } else if (is_refinement && version >= has_refine) {
    made.push_back("db.adminCommand({refineCollectionShardKey: " + ns + ", key: " + text +
                   "})");
  } else if (!is_refinement && version >= has_reshard) {
    made.push_back("db.adminCommand({reshardCollection: " + ns + ", key: " + text + "})");
  }
  return made;
}

}  // namespace scattergate::advise
