#include "advise/objections.hpp"

#include <algorithm>

#include "advise/figures.hpp"

namespace scattergate::advise {
namespace {

std::string forbidden_text(const std::vector<std::string>& names) {
  std::string made = names.size() == 1 ? "it forbids the unique index "
                                       : "it forbids " + std::to_string(names.size()) +
                                             " unique indexes, among them ";
  return made + names.front();
}

/// Says which share of the requests the most frequent value gets. Chooses a share that exceeds
/// a shard's: of all requests, otherwise of a minute's, otherwise of those in the held-out part
/// or before it.
std::string hot_text(const candidate& of) {
  const double shard = 1 / static_cast<double>(of.worth.shards);
  const auto above = [&](const std::optional<double>& share) {
    return share.value_or(0) > shard ? share : std::nullopt;
  };
  const auto in_parts = [&](std::optional<double> merit::*share) {
    const auto held_out = of.held_out_worth ? (*of.held_out_worth).*share : std::nullopt;
    return above(std::max(of.worth.*share, held_out));  // empty compares as smallest
  };
  const key_values& values = of.all.values;
  std::string made = "its most common value gets ";
  if (const auto share = above(values.hottest())) {
    made += share_text(share) + " of the requests";
  } else if (const auto in_minute = above(values.per_minute)) {
    made += share_text(in_minute) + " of a minute's requests";
  } else if (const auto in_part = in_parts(&merit::hottest)) {
    made += share_text(in_part) + " of the requests in a part of the time";
  } else {
    made += share_text(in_parts(&merit::per_minute)) +
            " of a minute's requests in a part of the time";
  }
  return made + ", more than a shard's share (" + share_text(shard) + ")";
}

}  // namespace

std::vector<objection> objections_to(const candidate& evaluated,
                                     const safety_context& context) {
  std::vector<objection> made;
  const auto add = [&](bool is_so, std::string_view label, const auto& text) {
    if (is_so) made.push_back({label, text()});
  };
  const auto say = [&](bool is_so, std::string_view label, const char* text) {
    add(is_so, label, [text] { return std::string{text}; });
  };
  const bool is_few = evaluated.worth.has_few_values;
  const double updates = evaluated.all.write_distribution.key_updates;
  const bool is_compared = context.is_sharded && evaluated.from != key_origin::present;
  add(!evaluated.forbidden.empty(), "unique index",
      [&] { return forbidden_text(evaluated.forbidden); });
  add(evaluated.new_refused > 0, "refused",
      [&] { return "mongos would refuse " + things_text(evaluated.new_refused, "command"); });
  add(is_few, "few values", [&] {
    const double values = evaluated.all.values.least_distinct;
    return "it has only " + things_text(values, "value") +
           (values > 1 ? ", so some shards would get no documents"
                       : ", so one shard would get all documents");
  });
  add(!is_few && evaluated.is_hot, "hot value", [&] { return hot_text(evaluated); });
  say(!is_few && evaluated.jumbo == jumbo_risk::high, "jumbo chunk",
      "one value may exceed a chunk, which can't be split then");
  say(evaluated.is_monotonic && !evaluated.key.front().hashed, "grows",
      "its values grow, so all new documents go to one shard");
  add(evaluated.new_scatters > 0, "scatters", [&] {
    return things_text(evaluated.new_scatters, "command") +
           " would scatter to all shards, unlike today";
  });
  add(updates > 0, "key updates", [&] {
    return things_text(updates, "update") +
           " may change the key's value, which moves documents between shards";
  });
  say(is_compared && !evaluated.beats_present.value_or(false), "not better",
      "it isn't better than the present key");
  say(is_compared && !evaluated.beats_present_held_out.value_or(true), "not better",
      "it isn't better than the present key in the last fifth of the time");
  say(context.has_unknown, "unknown", "something that matters isn't known");
  say(!evaluated.all.values.per_minute && context.are_minutes_known, "unknown",
      "within a minute one value may get more than a shard's share of the requests");
  say(is_compared && !evaluated.beats_present_held_out, "untested",
      "there is no last fifth of the time to test it on");
  return made;
}

}  // namespace scattergate::advise
