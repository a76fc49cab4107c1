#include "sim/programs/demo/tally.hpp"

#include "sim/values/bson_codec.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim::demo {

void tally::merge(const tally& other) {
  for (const auto& [target, count] : other.counts_) counts_[target] += count;
}

std::uint64_t tally::total() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& [target, count] : counts_) sum += count;
  return sum;
}

std::string tally::to_json() const {
  array commands;
  for (const auto& [target, count] : counts_) {
    commands.emplace_back(document{{"db", std::string_view{target.database}},
                                   {"collection", std::string_view{target.collection}},
                                   {"command", std::string_view{target.command}},
                                   {"count", static_cast<std::int64_t>(count)}});
  }
  return sim::to_json(
      {{"total", static_cast<std::int64_t>(total())}, {"commands", std::move(commands)}});
}

}  // namespace scattergate::sim::demo
