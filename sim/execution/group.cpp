#include <algorithm>
#include <array>
#include <map>

#include "sim/execution/pipeline.hpp"
#include "sim/query/projection.hpp"
#include "sim/values/compare.hpp"
#include "sim/values/error.hpp"
#include "sim/values/numbers.hpp"
#include "sim/values/path.hpp"

namespace scattergate::sim {
namespace {

/// The state of one accumulator for one group.
struct tally {
  value sum = std::int32_t{0};
  std::int64_t count = 0;
  outcome kept;
  array members;
};

using accumulate_function = void (*)(tally& into, const outcome& next);
using finish_function = value (*)(tally& from);

void add_sum(tally& into, const outcome& next) {
  if (next && next->is_number()) into.sum = add(into.sum, *next);
}
void add_average(tally& into, const outcome& next) {
  if (!next || !next->is_number()) return;
  into.sum = add(into.sum, *next);
  ++into.count;
}
bool is_nullish(const outcome& result) {
  return !result || result->is<null>();
}
void add_min(tally& into, const outcome& next) {
  if (!is_nullish(next) && (!into.kept || compare(*next, *into.kept) < 0)) into.kept = next;
}
void add_max(tally& into, const outcome& next) {
  if (!is_nullish(next) && (!into.kept || compare(*next, *into.kept) > 0)) into.kept = next;
}
void add_first(tally& into, const outcome& next) {
  if (into.count++ == 0) into.kept = next.value_or(null{});
}
void add_last(tally& into, const outcome& next) {
  into.kept = next.value_or(null{});
}
void add_push(tally& into, const outcome& next) {
  if (next) into.members.push_back(*next);
}
void add_to_set(tally& into, const outcome& next) {
  if (!next) return;
  const auto at =
      std::lower_bound(into.members.begin(), into.members.end(), *next, value_less{});
  if (at == into.members.end() || !is_equal(*at, *next)) into.members.insert(at, *next);
}
void add_count(tally& into, const outcome&) {
  into.sum = add(into.sum, std::int32_t{1});
}

value finish_sum(tally& from) {
  return std::move(from.sum);
}
value finish_average(tally& from) {
  if (from.count == 0) return null{};
  return from.sum.as_double() / static_cast<double>(from.count);
}
value finish_kept(tally& from) {
  return from.kept.value_or(null{});
}
value finish_members(tally& from) {
  return std::move(from.members);
}

struct accumulator {
  std::string_view name;
  accumulate_function take;
  finish_function finish;
};

constexpr auto accumulators = std::to_array<accumulator>({
    {"$sum", add_sum, finish_sum},
    {"$avg", add_average, finish_average},
    {"$min", add_min, finish_kept},
    {"$max", add_max, finish_kept},
    {"$first", add_first, finish_kept},
    {"$last", add_last, finish_kept},
    {"$push", add_push, finish_members},
    {"$addToSet", add_to_set, finish_members},
    {"$count", add_count, finish_sum},
});

/// An output field of a `$group`.
struct output {
  std::string name;
  const accumulator* how;
  expression input;
};

output parse_output(const field& each, const variables& names) {
  const auto* content = each.content.as<document>();
  if (content == nullptr || content->size() != 1) {
    throw command_failure(static_cast<errc>(40234),
                          "The field '" + each.name + "' must be an accumulator object");
  }
  const field& only = content->front();
  const auto* how =
      std::find_if(accumulators.begin(), accumulators.end(),
                   [&only](const auto& known) { return known.name == only.name; });
  if (how == accumulators.end()) {
    throw command_failure(errc::group_expression,
                          "unknown group operator '" + only.name + "'" + see_limits);
  }
  return {each.name, how, expression{only.content, names}};
}

}  // namespace

documents group(const pipeline_scope& in, documents input, const value& operand) {
  const document& specification = stage_document("$group", operand);
  const value* id = specification.find("_id");
  if (id == nullptr) {
    throw command_failure(static_cast<errc>(15955),
                          "a group specification must include an _id");
  }
  const expression key{*id, in.names};
  std::vector<output> outputs;
  for (const field& each : specification) {
    if (each.name != "_id") outputs.push_back(parse_output(each, in.names));
  }
  std::map<value, std::vector<tally>, value_less> groups;
  for (const document_ptr& each : input) {
    auto& tallies = groups.try_emplace(key.evaluate(*each), outputs.size()).first->second;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i].how->take(tallies[i], outputs[i].input.evaluate_or_missing(*each));
    }
  }
  documents out;
  for (auto& [group_id, tallies] : groups) {
    document made{{"_id", group_id}};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      made.append(outputs[i].name, outputs[i].how->finish(tallies[i]));
    }
    out.push_back(std::make_shared<const document>(std::move(made)));
  }
  return out;
}

documents unwind(const pipeline_scope&, documents input, const value& operand) {
  const auto* options = operand.as<document>();
  const value* given = options == nullptr ? &operand : options->find("path");
  const auto* text = given == nullptr ? nullptr : given->as<std::string>();
  if (text == nullptr || !text->starts_with('$')) {
    throw command_failure(static_cast<errc>(28818),
                          "path option to $unwind stage should be prefixed with a '$'");
  }
  const std::string name = text->substr(1);
  const auto path = split_path(name);
  const value* keeps =
      options == nullptr ? nullptr : options->find("preserveNullAndEmptyArrays");
  const value* index = options == nullptr ? nullptr : options->find("includeArrayIndex");
  documents out;
  const auto emit = [&](const document& from, const value* member, const value& position) {
    document made = from;
    if (member != nullptr) set_path(made, name, *member);
    if (index != nullptr && index->is<std::string>()) {
      set_path(made, *index->as<std::string>(), position);
    }
    out.push_back(std::make_shared<const document>(std::move(made)));
  };
  for (const document_ptr& each : input) {
    const value* found = plain_path(*each, path);
    const auto* members = found == nullptr ? nullptr : found->as<array>();
    const bool nothing =
        found == nullptr || found->is<null>() || (members != nullptr && members->empty());
    if (nothing) {
      if (keeps != nullptr && keeps->is_truthy()) emit(*each, nullptr, null{});
    } else if (members == nullptr) {
      emit(*each, found, null{});
    } else {
      for (std::size_t i = 0; i < members->size(); ++i) {
        emit(*each, &(*members)[i], static_cast<std::int64_t>(i));
      }
    }
  }
  return out;
}

}  // namespace scattergate::sim
