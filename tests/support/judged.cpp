#include <algorithm>

#include "routing/words/describe.hpp"
#include "tests/routing/judging_support.hpp"
#include "wire/command.hpp"

namespace scattergate::routing_tests {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

}  // namespace

std::vector<std::byte> bson_of(std::string_view json) {
  const tests::json_document document{json};
  const auto bytes = document.view().bytes();
  std::vector<std::byte> copy{bytes.begin(), bytes.end()};
  for (const std::string_view name : {"~type", "~regex", "~options"}) {
    const auto sought = std::as_bytes(std::span{name.data(), name.size()});
    for (auto at = copy.begin();; ++at) {
      at = std::search(at, copy.end(), sought.begin(), sought.end());
      if (at == copy.end()) break;
      *at = std::byte{'$'};
    }
  }
  return copy;
}

std::string names_of(const std::optional<routing::shard_set>& shards,
                     const routing::catalog& entries) {
  return shards ? joined(routing::shard_names(*shards, entries)) : "?";
}

judged::judged(std::shared_ptr<const routing::catalog> entries, std::string_view command,
               std::size_t scratch_size)
    : command_{bson_of(command)},
      entries_{std::move(entries)},
      block_(scratch_size),
      memory_{block_} {
  given_ = wire::command_of(wire::document_view::from(command_).value()).value();
  if (given_.database.empty()) given_.database = "db";
  verdict_ = routing::classify(given_, *entries_, memory_);
}

std::string judged::where() const {
  std::string text{routing::label(verdict_.routing)};
  const bool has_fanout = verdict_.bounds != routing::bounds_kind::none;
  return has_fanout ? text + " " + names_of(verdict_.fanout, *entries_) : text;
}

std::string judged::why() const {
  return std::string{routing::label(verdict_.routing)} + " " +
         std::string{routing::label(verdict_.why)};
}

std::string judged::missing() const {
  return joined(routing::missing_fields(verdict_));
}

}  // namespace scattergate::routing_tests
