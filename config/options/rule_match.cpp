#include "config/options/rule_match.hpp"

#include <array>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace scattergate::config {
namespace {

/// Whether `ask` returns true for every condition.
template <typename Match, typename Ask>
bool all_conditions(Match& match, Ask ask) {
  return std::apply([&](auto&... one) { return (ask(one) && ...); }, conditions_of(match));
}

template <typename Match, typename Ask>
void for_each_condition(Match& match, Ask ask) {
  std::apply([&](auto&... one) { (ask(one), ...); }, conditions_of(match));
}

/// Whether `ask` returns true for each pair of corresponding conditions: only for globs, or
/// only for other conditions.
template <bool OfGlobs, typename Ask>
bool all_pairs(const rule_match& one, const rule_match& other, Ask ask) {
  const auto ask_where = [&]<typename Condition>(const Condition& a, const Condition& b) {
    if constexpr (Condition::is_glob == OfGlobs) {
      return ask(a, b);
    } else {
      return true;
    }
  };
  return std::apply(
      [&](const auto&... a) {
        return std::apply([&](const auto&... b) { return (ask_where(a, b) && ...); },
                          conditions_of(other));
      },
      conditions_of(one));
}

/// Asks about globs last: they cost most, and the budget limits them.
template <typename Ask>
bool all_pairs(const rule_match& one, const rule_match& other, Ask ask) {
  return all_pairs<false>(one, other, ask) && all_pairs<true>(one, other, ask);
}

/// The part of a message that a condition depends on.
template <condition_input What>
auto part_of(const known_parts& message) noexcept {
  if constexpr (What == condition_input::command) {
    return message.command;
  } else if constexpr (What == condition_input::name_space) {
    return message.name_space;
  } else if constexpr (What == condition_input::judgement) {
    return message.judged;
  } else if constexpr (What == condition_input::shape) {
    return message.shapes;
  } else if constexpr (What == condition_input::comment) {
    return message.comment;
  } else {
    return message.from;
  }
}

template <typename Condition>
bool could_match(const Condition& one, const known_parts& message) {
  if (!one.is_given()) return true;
  auto* const part = part_of<Condition::input>(message);
  if (part != nullptr) return one.matches(*part);
  if constexpr (requires { Condition::only_of; }) {
    return message.command == nullptr || *message.command == Condition::only_of;
  } else {
    return true;
  }
}

/// The cost of a condition: a comparison, a glob, a hash.
enum class cost : std::uint8_t { comparison, glob, hash };
template <typename Condition>
constexpr cost cost_of = Condition::input == condition_input::shape ? cost::hash
                         : Condition::is_glob                       ? cost::glob
                                                                    : cost::comparison;

template <cost Of>
bool those_could_match(const rule_match& match, const known_parts& message) {
  return all_conditions(match, [&]<typename Condition>(const Condition& one) {
    if constexpr (cost_of<Condition> == Of) {
      return could_match(one, message);
    } else {
      return true;
    }
  });
}

constexpr auto match_key_names = [] {
  std::array<std::string_view, completeness::listed_count> all;
  std::size_t next = 0;
  [&]<typename... Conditions>(std::type_identity<std::tuple<Conditions&...>>) {
    ((all[next++] = Conditions::key), ...);
  }(std::type_identity<completeness::listed>{});
  return all;
}();

}  // namespace

rule_match read_match(const text_tree::node& value, problem_log& problems) {
  rule_match match;
  for (const map_entry& entry : entries_of(value, "match", problems)) {
    bool is_known = false;
    for_each_condition(match, [&](auto& one) {
      if (one.key != entry.key) return;
      is_known = true;
      one.read(entry, problems);
    });
    if (!is_known)
      report_unknown(entry, "match", {match_keys().begin(), match_keys().end()}, problems);
  }
  return match;
}

std::span<const std::string_view> match_keys() noexcept {
  return match_key_names;
}

std::string show_match(const rule_match& match) {
  std::string entries;
  for_each_condition(match, [&](const auto& one) {
    if (!one.is_given()) return;
    entries += (entries.empty() ? "" : ", ") + std::string{one.key} + ": " + one.show();
  });
  return "{" + entries + "}";
}

std::string why_never(const rule_match& match, const routing::catalog* catalog) {
  std::string why;
  const auto note = [&](const std::string& one) {
    if (why.empty()) why = one;
  };
  for_each_condition(match, [&]<typename Condition>(const Condition& one) {
    if (!one.is_given()) return;
    if constexpr (requires { one.why_never(catalog); }) note(one.why_never(catalog));
    if constexpr (requires { Condition::only_of; }) {
      if (!match.command.is_given() || match.command.matches(Condition::only_of)) return;
      note(std::string{one.key} + " is known of " +
           std::string{routing::name_of(Condition::only_of)} + "s alone");
    }
  });
  return why;
}

rule_match with_implied(rule_match match) {
  for_each_condition(match, [&]<typename Condition>(const Condition& one) {
    if constexpr (requires { Condition::only_of; }) {
      if (one.is_given() && !match.command.is_given()) match.command = Condition::only_of;
    }
  });
  return match;
}

bool covers(const rule_match& wide, const rule_match& narrow, glob_budget& budget) {
  return all_pairs(wide, narrow, [&](const auto& one, const auto& other) {
    return one.covers(other, budget);
  });
}

bool overlap(const rule_match& one, const rule_match& other, glob_budget& budget) {
  return all_pairs(one, other,
                   [&](const auto& a, const auto& b) { return a.meets(b, budget); });
}

bool depends_on(const rule_match& match, condition_input what) noexcept {
  return !all_conditions(match,
                         [&](const auto& one) { return !one.is_given() || one.input != what; });
}

bool could_match(const rule_match& match, const known_parts& message) {
  return those_could_match<cost::comparison>(match, message) &&
         those_could_match<cost::glob>(match, message) &&
         those_could_match<cost::hash>(match, message);
}

}  // namespace scattergate::config
