#include "proxy/judging/rule_decisions.hpp"

#include <utility>

#include "wire/bson.hpp"

namespace scattergate::proxy {
namespace {

/// Whether the command is an explain that runs nothing: it only asks for the plan. MongoDB
/// accepts it for a rejected query, too (mongo: query_settings).
bool only_plans(const wire::command& command, routing::command_kind kind) {
  if (kind != routing::command_kind::explain) return false;
  const auto verbosity = wire::find_field(command.body, "verbosity");
  return verbosity && verbosity->is_string() && verbosity->as_string() == "queryPlanner";
}

}  // namespace

bool rule_decisions::set_day(text::day today, const policy& rules) {
  return rules.differs_between(std::exchange(today_, today), today);
}

sender rule_decisions::sender_of(const request_view& request) const noexcept {
  const client_identity& client = request.connection.client;
  return {client.app(), client.user(), client.address(), today_, client.may_be_any_user()};
}

decision rule_decisions::decide(const judged_subject& what, routing::scratch& memory) {
  const policy& rules = what.in->rules;
  const judged_command command{what.verdict, sender_of(what.request), what.comment};
  const auto note_dry_run = [&](const config::rule& rule, const routing::touch* touched) {
    counts_.note_dry_run(rule, touched ? what.verdict.verdict_in(*touched) : what.verdict);
  };
  counts_.begin();
  const bool may_be_unjudged = what.verdict.routing == routing::routing_class::unknown ||
                               what.verdict.may_touch_more || !what.verdict.touches.empty();
  if (may_be_unjudged) {
    const strict_rules strict = rules.for_unjudged(command);
    if (const config::rule* rule = strict.decides) {
      return {true, rule->action, rule, false, nullptr};
    }
    if (strict.dry_run != nullptr) note_dry_run(*strict.dry_run, nullptr);
  }
  const auto hash_shape = [&] { return what.shape_by(memory).hash; };
  const auto hash_query_shape = [&] { return what.query_shape_hash(); };
  decision made = rules.decide(command, hash_shape, hash_query_shape, note_dry_run);
  if (made.action == config::rule_action::reject &&
      only_plans(what.command, what.verdict.command)) {
    made.action = config::rule_action::observe;
  }
  return made;
}

}  // namespace scattergate::proxy
