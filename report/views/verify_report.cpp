#include "report/views/verify_report.hpp"

#include <algorithm>
#include <utility>

#include "text/json_writer.hpp"
#include "text/printable.hpp"
#include "wire/bson_writer.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::report {
namespace {

using text::append_json_inside;
using text::json_writer;

constexpr std::array outcomes = {outcome::agreed, outcome::disagreed, outcome::failed,
                                 outcome::not_compared};

std::string name_space_of(const explainable& what) {
  return wire::namespace_view{what.database, what.collection}.full_name();
}

std::string_view command_of(const explainable& what) {
  return routing::name_of(what.kind);
}

/// The command as JSON that `classify` can read.
std::string command_json(const explainable& what) {
  if (what.command.empty()) return "null";
  std::string json = wire::relaxed_json_of(what.command);
  text::escape_invisible_in_json(json);
  return json;
}

void append_list(std::string& to, const std::vector<std::string>& names) {
  const char* separator = "";
  for (const std::string& name : names) {
    to += separator;
    append_json_inside(to, name);
    separator = ", ";
  }
}

std::string ours_in_words(const own_verdict& ours) {
  std::string text{label(ours.routing)};
  if (ours.refused != routing::refusal::none) {
    text = "refused: " + std::string{label(ours.refused)};
  }
  if (ours.why != routing::reason::none) text += ", " + std::string{label(ours.why)};
  if (!ours.missing.empty()) {
    text += ", missing ";
    append_list(text, ours.missing);
  }
  if (ours.fanout) {
    text += "; shards: ";
    append_list(text, *ours.fanout);
  } else if (ours.bounds != routing::bounds_kind::none) {
    text += "; bounds: " + std::string{label(ours.bounds)};
  }
  return text;
}

std::string plan_in_words(const explain_plan& plan) {
  std::string text;
  switch (plan.is) {
    case explain_plan::kind::shards:
      append_json_inside(text, plan.stage.empty() ? "a pipeline, not split" : plan.stage);
      text += "; shards: ";
      append_list(text, plan.shards);
      if (!plan.is_complete) text += ", ... (the reply was truncated)";
      return text;
    case explain_plan::kind::one_shard:
      append_json_inside(text, plan.stage);
      text += "; one shard, not named; host: ";
      append_json_inside(text, plan.text);
      return text;
    case explain_plan::kind::no_shard:
      append_json_inside(text, plan.stage);
      return text + "; no shard";
    case explain_plan::kind::refused:
      text = "error " + std::to_string(plan.code) + ": ";
      break;
    case explain_plan::kind::no_plan:
      break;
  }
  append_json_inside(text, plan.text);
  return text;
}

/// JSON without lines that a CI runner would interpret.
std::string printable_json(std::string json) {
  return text::ci_safe(std::move(json), text::ci_syntax::json);
}

std::string check_json(std::string_view place, const explainable& what, const check& done) {
  std::string text;
  json_writer json{text};
  json.object();
  json.text("place", place);
  json.text("ns", name_space_of(what));
  json.text("command", command_of(what));
  json.text("outcome", label(done.result.is));
  if (!done.result.why.empty()) json.text("why", done.result.why);
  if (done.result.is != outcome::not_compared) {
    json.text("routing", label(done.ours.routing));
    json.text("reason", label(done.ours.why));
    if (done.ours.fanout) json.texts("fanout", *done.ours.fanout);
    if (done.ours.refused != routing::refusal::none) {
      json.text("refused", label(done.ours.refused));
    }
    json.text("stage", done.plan.stage);
    if (done.plan.is == explain_plan::kind::shards) json.texts("shards", done.plan.shards);
    if (done.result.is != outcome::agreed) json.raw("body", command_json(what));
  }
  json.end();
  return text + '\n';
}

std::string check_text(std::string_view place, const explainable& what, const check& done) {
  std::string text{done.result.is == outcome::disagreed ? "DISAGREED" : "FAILED"};
  text += "  " + std::string{place} + "  " + std::string{command_of(what)} + "  ";
  append_json_inside(text, name_space_of(what));
  text += "\n  command      " + command_json(what);
  text += "\n  scattergate  " + ours_in_words(done.ours);
  text += "\n  mongos       " + plan_in_words(done.plan);
  text += "\n  why          ";
  append_json_inside(text, done.result.why);
  return text + "\n";
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string right(std::size_t number, std::size_t width) {
  std::string text = std::to_string(number);
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

}  // namespace

std::string verify_report::add(std::string_view place, const explainable& what,
                               const check& done) {
  count(command_of(what), done);
  if (as_json_) return printable_json(check_json(place, what, done));
  const bool is_shown =
      done.result.is == outcome::disagreed || done.result.is == outcome::failed;
  return is_shown ? text::printable_lines(check_text(place, what, done)) : std::string{};
}

std::string verify_report::add_unreadable(std::string_view place, std::string_view why) {
  ++unreadable_;
  if (as_json_) {
    std::string line;
    json_writer json{line};
    json.object();
    json.text("place", place);
    json.text("outcome", "not_a_command");
    json.text("why", why);
    json.end();
    return printable_json(line + '\n');
  }
  std::string text = "NOT A COMMAND  " + std::string{place} + "  ";
  append_json_inside(text, why);
  return text::printable_lines(text + "\n");
}

void verify_report::count(std::string_view command, const check& done) {
  const auto which = static_cast<std::size_t>(done.result.is);
  ++totals_[which];
  ++by_command_[std::string{command}][which];
  if (done.result.is == outcome::not_compared) {
    ++not_compared_[std::string{command} + ": " + done.result.why];
  }
}

std::string verify_report::summary() const {
  return as_json_ ? summary_json() : text::printable_lines(summary_text());
}

std::string verify_report::summary_json() const {
  std::string text;
  json_writer json{text};
  const auto append_counts = [&json](const counts& of) {
    for (const outcome each : outcomes) {
      json.number(label(each), of[static_cast<std::size_t>(each)]);
    }
  };
  json.object();
  json.object("summary");
  append_counts(totals_);
  json.number("not_a_command", unreadable_);
  json.object("commands");
  for (const auto& [command, of] : by_command_) {
    json.object(command);
    append_counts(of);
    json.end();
  }
  json.end();
  json.end();
  json.end();
  return text + '\n';
}

std::string verify_report::summary_text() const {
  constexpr std::size_t name_width = 16;
  constexpr std::size_t number_width = 14;
  std::string text = padded("command", name_width);
  for (const char* heading : {"agreed", "disagreed", "failed", "not compared"}) {
    text += std::string(number_width - std::string_view{heading}.size(), ' ') + heading;
  }
  const auto append_row = [&](const std::string& name, const counts& of) {
    text += "\n" + padded(name, name_width);
    for (const std::size_t number : of) text += right(number, number_width);
  };
  for (const auto& [command, of] : by_command_) append_row(command, of);
  append_row("all", totals_);
  text += '\n';
  if (!not_compared_.empty()) text += "not compared:\n";
  for (const auto& [what, times] : not_compared_) {
    text += right(times, 6) + "  ";
    append_json_inside(text, what);
    text += '\n';
  }
  if (unreadable_ != 0) text += std::to_string(unreadable_) + " lines were not commands\n";
  return text;
}

int verify_report::exit_status() const noexcept {
  if (total(outcome::disagreed) != 0) return 1;
  return total(outcome::failed) + unreadable_ != 0 ? 2 : 0;
}

}  // namespace scattergate::report
