#include "config/options/options_check.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "config/options/glob_relations.hpp"
#include "config/options/rule_match.hpp"
#include "config/options/settings.hpp"
#include "config/text/problem_log.hpp"
#include "text/printable.hpp"
#include "text/time_text.hpp"

namespace scattergate::config {

namespace {

std::string shown(const std::string& value) {
  return value.empty() ? "not set" : value;
}

std::string difference(const std::string& running, const std::string& loaded) {
  return "is " + shown(running) + ", would be " + shown(loaded) + " after a restart";
}

void add_listener(const listener_options& loaded, const listener_options& running,
                  const std::string& place, std::vector<ignored_setting>& to) {
  for (const listener_setting& one : listener_settings()) {
    const std::string is = one.show(running);
    const std::string would_be = one.show(loaded);
    if (is == would_be) continue;
    to.push_back({place + "." + name_of(one.section, one.key), difference(is, would_be)});
  }
}

/// Adds the listener settings that differ, if a listener's address differs: then a reload
/// applies none of them.
void add_listeners(const options& loaded, const options& running,
                   std::vector<ignored_setting>& to) {
  if (has_same_addresses(loaded, running)) return;
  const auto& anew = loaded.listeners;
  const auto& old = running.listeners;
  for (std::size_t i = 0; i < std::max(anew.size(), old.size()); ++i) {
    const std::string place = "listeners[" + std::to_string(i) + "]";
    if (i >= old.size()) {
      to.push_back({place, "is only served after a restart"});
    } else if (i >= anew.size()) {
      to.push_back({place, "is served until a restart"});
    } else {
      add_listener(anew[i], old[i], place, to);
    }
  }
}

}  // namespace

bool has_same_addresses(const options& one, const options& other) {
  return std::ranges::equal(one.listeners, other.listeners,
                            [](const listener_options& a, const listener_options& b) {
                              return a.listen == b.listen;
                            });
}

std::vector<ignored_setting> ignored_by_reload(const options& loaded, const options& running) {
  std::vector<ignored_setting> found;
  add_listeners(loaded, running, found);
  for (const setting& one : settings()) {
    if (one.when == applied::by_reload) continue;
    const std::string name = name_of(one.section, one.key);
    if (name == "workers.threads" && effective_threads(loaded) == effective_threads(running)) {
      continue;
    }
    const std::string is = one.show(running);
    const std::string would_be = one.show(loaded);
    if (is != would_be) found.push_back({name, difference(is, would_be)});
  }
  return found;
}

namespace {

/// Whether `one` is in force at least as long as `other`.
bool outlasts(const rule& one, const rule& other) {
  return !one.until || (other.until && *one.until >= *other.until);
}

bool holds_up(const rule& one) {
  return one.action == rule_action::reject || one.action == rule_action::throttle;
}

std::string naming(const rule& one) {
  return "rule " + text::in_quotes(one.name) + " (" + one.written.place + ")";
}

/// Collects warnings about rules, up to problem_log's limit.
class rule_checker {
 public:
  rule_checker(std::span<const rule> rules, const routing::catalog* catalog)
      : rules_(rules), by_(catalog) {
    for (const rule& one : rules) matches_.push_back(with_implied(one.match));
  }

  std::vector<text::problem> check(text::day today) {
    for (std::size_t i = 0; i < rules_.size() && !found_.is_full(); ++i) {
      const rule& each = rules_[i];
      if (text::has_passed(each.until, today)) {
        add(each, "expired on " + text::show_day(*each.until));
      } else if (const std::string why = why_never(each.match, by_); !why.empty()) {
        add(each, "can never match: " + why);
      } else {
        compare_with_earlier(i);
      }
    }
    return found_.take();
  }

 private:
  void compare_with_earlier(std::size_t number) {
    const rule& each = rules_[number];
    const rule_match& match = matches_[number];
    for (std::size_t i = 0; i < number; ++i) {
      const rule& one = rules_[i];
      if (one.dry_run) continue;
      if (outlasts(one, each) && covers(matches_[i], match, budget_)) {
        const bool is_asked_yet = holds_up(each) && !holds_up(one);
        return add(
            each,
            "never decides" +
                std::string{is_asked_yet ? ", except for commands that can't be judged" : ""} +
                ": " + naming(one) + " matches all of its commands");
      }
    }
    for (std::size_t i = 0; i < number; ++i) {
      const rule& one = rules_[i];
      if (one.dry_run || one.action == each.action) continue;
      // A narrower rule first is an intended exception.
      if (!overlap(matches_[i], match, budget_)) continue;
      if (covers(match, matches_[i], budget_)) continue;
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
    found_.add_at(of.written.place, "warning: rule " + text::in_quotes(of.name) + " " + what);
  }

  std::span<const rule> rules_;
  std::vector<rule_match> matches_;  // the rules' matches, with implied conditions
  const routing::catalog* by_;
  problem_log found_{""};
  glob_budget budget_;
};

}  // namespace

std::vector<text::problem> check_rules(std::span<const rule> rules, text::day today,
                                       const routing::catalog* catalog) {
  return rule_checker{rules, catalog}.check(today);
}

}  // namespace scattergate::config
