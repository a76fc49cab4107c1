#include "config/options/rule_check.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "config/options/glob_relations.hpp"
#include "config/text/problem_log.hpp"
#include "routing/words/query_shape_hash.hpp"
#include "text/days.hpp"
#include "text/printable.hpp"

namespace scattergate::config {
namespace {

constexpr std::string_view everything = "*";

std::string_view or_everything(const std::string& glob) noexcept {
  return glob.empty() ? everything : std::string_view{glob};
}

/// Whether what one asks for is all or part of what the other does: an exact value, or none.
template <typename Value>
bool covers_value(const std::optional<Value>& wide, const std::optional<Value>& narrow) {
  return !wide || wide == narrow;
}
template <typename Value>
bool values_meet(const std::optional<Value>& one, const std::optional<Value>& other) {
  return !one || !other || one == other;
}
bool covers_text(const std::string& wide, const std::string& narrow) {
  return wide.empty() || wide == narrow;
}
bool texts_meet(const std::string& one, const std::string& other) {
  return one.empty() || other.empty() || one == other;
}

bool same_fields(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  const auto is_in = [](const auto& fields) {
    return
        [&fields](const std::string& field) { return std::ranges::count(fields, field) != 0; };
  };
  return std::ranges::all_of(one, is_in(other)) && std::ranges::all_of(other, is_in(one));
}

/// Whether a list takes all that the other does; an empty one takes everything.
template <typename Value, typename Holds>
bool covers_each(const std::vector<Value>& wide, const std::vector<Value>& narrow,
                 Holds holds) {
  if (wide.empty()) return true;
  return !narrow.empty() && std::ranges::all_of(narrow, [&](const Value& one) {
    return std::ranges::any_of(wide, [&](const Value& each) { return holds(each, one); });
  });
}
template <typename Value, typename Meet>
bool any_meet(const std::vector<Value>& one, const std::vector<Value>& other, Meet meet) {
  if (one.empty() || other.empty()) return true;
  return std::ranges::any_of(one, [&](const Value& a) {
    return std::ranges::any_of(other, [&](const Value& b) { return meet(a, b); });
  });
}

bool holds(const net::network& wide, const net::network& narrow) {
  return wide.holds(narrow);
}
bool networks_meet(const net::network& one, const net::network& other) {
  return one.holds(other) || other.holds(one);
}

bool covers_fanout(const std::optional<fanout_range>& wide,
                   const std::optional<fanout_range>& narrow) {
  if (!wide) return true;
  return narrow && wide->least <= narrow->least && narrow->most <= wide->most;
}
bool fanouts_meet(const std::optional<fanout_range>& one,
                  const std::optional<fanout_range>& other) {
  if (!one || !other) return true;
  return std::max(one->least, other->least) <= std::min(one->most, other->most);
}

/// What a match takes: of finds alone it is known what MongoDB calls their shapes.
std::optional<routing::command_kind> command_of(const rule_match& match) {
  if (match.command || match.query_shapes.empty()) return match.command;
  return routing::command_kind::find;
}

/// Whether one match takes all that the other does; false where that can't be told.
bool covers_all(const rule_match& wide, const rule_match& narrow, glob_budget& budget) {
  return covers_value(wide.command, command_of(narrow)) &&
         covers_each(wide.query_shapes, narrow.query_shapes, std::equal_to{}) &&
         covers_value(wide.routing, narrow.routing) && covers_value(wide.shape, narrow.shape) &&
         (wide.missing.empty() || same_fields(wide.missing, narrow.missing)) &&
         covers_text(wide.app, narrow.app) && covers_text(wide.user, narrow.user) &&
         covers_each(wide.remote, narrow.remote, holds) &&
         covers_fanout(wide.fanout, narrow.fanout) &&
         covers(or_everything(wide.name_space), or_everything(narrow.name_space),
                texts::with_a_dot, budget)
             .value_or(false) &&
         covers(or_everything(wide.comment), or_everything(narrow.comment), texts::any, budget)
             .value_or(false);
}

/// Whether there may be a command that both take; false where that can't be told.
bool overlap(const rule_match& one, const rule_match& other, glob_budget& budget) {
  return values_meet(command_of(one), command_of(other)) &&
         values_meet(one.routing, other.routing) && values_meet(one.shape, other.shape) &&
         any_meet(one.query_shapes, other.query_shapes, std::equal_to{}) &&
         (one.missing.empty() || other.missing.empty() ||
          same_fields(one.missing, other.missing)) &&
         texts_meet(one.app, other.app) && texts_meet(one.user, other.user) &&
         any_meet(one.remote, other.remote, networks_meet) &&
         fanouts_meet(one.fanout, other.fanout) &&
         meet(or_everything(one.name_space), or_everything(other.name_space), texts::with_a_dot,
              budget)
             .value_or(false) &&
         meet(or_everything(one.comment), or_everything(other.comment), texts::any, budget)
             .value_or(false);
}

/// Whether a rule is asked as long as the other is.
bool outlasts(const rule& one, const rule& other) {
  return !one.until || (other.until && *one.until >= *other.until);
}

bool holds_up(const rule& one) {
  return one.action == rule_action::reject || one.action == rule_action::throttle;
}

/// Why no command can be all that the rule asks for; empty where one may.
std::string impossible(const rule_match& match) {
  using routing::command_family;
  if (match.command) {
    const command_family family = routing::family_of(*match.command);
    if (family == command_family::follows_cursor || family == command_family::not_routed) {
      return "rules aren't asked about " + std::string{routing::name_of(*match.command)};
    }
    if (!match.query_shapes.empty() && *match.command != routing::command_kind::find) {
      return "queryShapeHash is known of finds alone";
    }
  }
  return {};
}

std::string naming(const rule& one) {
  return "rule " + text::in_quotes(one.name) + " (" + one.written.where + ")";
}

/// Tells of rules, up to a bound.
class rule_checker {
 public:
  rule_checker(std::span<const rule> rules, const routing::catalog* by)
      : rules_(rules),
        has_query_shapes_(by == nullptr || routing::has_query_shape_hashes(*by)) {}

  std::vector<text::problem> check(text::day today) {
    for (std::size_t i = 0; i < rules_.size() && !found_.is_full(); ++i) {
      const rule& each = rules_[i];
      if (text::has_passed(each.until, today)) {
        add(each, "ended with " + text::show_day(*each.until));
      } else if (!has_query_shapes_ && !each.match.query_shapes.empty()) {
        add(each,
            "can never match: queryShapeHash is known of MongoDB 8.0 to 9.0 alone, and the "
            "catalog states no such version");
      } else if (const std::string why = impossible(each.match); !why.empty()) {
        add(each, "can never match: " + why);
      } else {
        compare_with_earlier(each, rules_.first(i));
      }
    }
    return found_.take();
  }

 private:
  void compare_with_earlier(const rule& each, std::span<const rule> earlier) {
    for (const rule& one : earlier) {
      if (one.dry_run) continue;
      if (outlasts(one, each) && covers_all(one.match, each.match, budget_)) {
        const bool is_asked_yet = holds_up(each) && !holds_up(one);
        return add(each, "never decides" +
                             std::string{is_asked_yet ? ", but of what can't be judged" : ""} +
                             ": " + naming(one) + " takes all that it matches");
      }
    }
    for (const rule& one : earlier) {
      if (one.dry_run || one.action == each.action) continue;
      // A narrower one first is an exception, and meant.
      if (!overlap(one.match, each.match, budget_)) continue;
      if (covers_all(each.match, one.match, budget_)) continue;
      add(each, "overlaps with " + naming(one) + ", which comes first: what both match is " +
                    std::string{word_for(one.action)} + ", not " +
                    std::string{word_for(each.action)});
    }
  }

  static std::string_view word_for(rule_action action) noexcept {
    switch (action) {
      case rule_action::observe:
        return "observed";
      case rule_action::accept:
        return "accepted";
      case rule_action::throttle:
        return "throttled";
      case rule_action::reject:
        break;
    }
    return "rejected";
  }

  void add(const rule& of, const std::string& what) {
    found_.add_at(of.written.where, "warning: rule " + text::in_quotes(of.name) + " " + what);
  }

  std::span<const rule> rules_;
  bool has_query_shapes_;
  problem_log found_{""};
  glob_budget budget_;
};

}  // namespace

std::vector<text::problem> check_rules(std::span<const rule> rules, text::day today,
                                       const routing::catalog* by) {
  return rule_checker{rules, by}.check(today);
}

}  // namespace scattergate::config
