#include "routing/classify.hpp"

#include <cstdio>
#include <iostream>
#include <string_view>
#include <vector>

#include "app/json_list.hpp"
#include "app/subcommands.hpp"
#include "app/terminal.hpp"
#include "config/text/extended_json.hpp"
#include "config/text/input.hpp"
#include "routing/words/describe.hpp"
#include "text/ci_commands.hpp"
#include "text/json_writer.hpp"
#include "text/nearest.hpp"
#include "text/printable.hpp"
#include "wire/limits.hpp"

namespace scattergate::app {
namespace {

/// What classify found in its input, for the exit status.
struct input_facts {
  bool has_problem = false;   ///< a line isn't a command
  bool has_nonsense = false;  ///< a command that no MongoDB accepts
  bool has_scatter = false;   ///< a command asks every shard
};

/// Whether MongoDB accepts the name of a database or collection. Commands without a collection
/// have an empty one.
text::result<void> check_names(const wire::command& command) {
  const bool has_collection = !command.collection.empty();
  const bool is_whole = routing::takes_namespace(routing::kind_of(command.name));
  const std::string name{command.collection};
  const std::string shown = is_whole ? name : std::string{command.database} + "." + name;
  const std::size_t dot = name.find('.');
  const bool is_incomplete = is_whole && (dot == name.npos || dot + 1 == name.size());
  if (has_collection &&
      (name.front() == '.' || name.find("..") != name.npos || is_incomplete)) {
    return text::failure("not a namespace: " + text::in_quotes(shown));
  }
  if (command.database.find_first_of("/\\. \"$") != command.database.npos) {
    return text::failure("not a database's name: " + text::in_quotes(command.database));
  }
  return {};
}

/// The command that a misspelt name probably stands for, as a part of a message.
std::string meant_command(std::string_view name) {
  std::vector<std::string_view> known;
  for (const routing::command_row& each : routing::command_rows) {
    if (!routing::is_group(each.kind)) known.push_back(each.name);
  }
  return text::did_you_mean(name, known);
}

/// Judges the commands of one input.
class line_classifier {
 public:
  line_classifier(const routing::catalog& catalog, bool as_json)
      : catalog_(catalog), as_json_(as_json) {}

  [[nodiscard]] const input_facts& facts() const noexcept { return facts_; }

  /// Judges a line; returns the verdict in words or JSON.
  [[nodiscard]] text::result<std::string> classify(const config::line_reader& lines) {
    if (lines.is_too_long()) {
      return text::failure("longer than the 48,000,000 bytes of a message");
    }
    const auto body = config::bson_of_json(lines.line());
    if (!body) return text::failure(body.error().what);
    if (is_json_list(lines.line())) return text::failure("expected a command, not a list");
    const auto command = wire::command_of(body->view());
    if (!command) {
      return text::failure("not a command: " + std::string{label(command.error())});
    }
    if (command->database.empty() && takes_collection(routing::kind_of(command->name))) {
      return text::failure("the command has no $db");
    }
    if (const auto checked = check_sense(*command); !checked) return checked.error();
    const routing::verdict verdict = routing::classify(*command, catalog_, verdict_memory_);
    facts_.has_scatter |= verdict.routing == routing::routing_class::scatter_gather;
    return as_json_ ? verdict_json(verdict, *command, catalog_, shape_memory_)
                    : verdict_line(verdict, *command, catalog_);
  }

  /// Notes that the current line isn't a command.
  void note_problem() noexcept { facts_.has_problem = true; }

 private:
  /// Finds names that no MongoDB accepts. A command whose name isn't a misspelt one may be a
  /// newer version's, so it is judged, as unknown.
  text::result<void> check_sense(const wire::command& command) {
    const bool is_unknown = routing::kind_of(command.name) == routing::command_kind::other;
    const std::string meant = is_unknown ? meant_command(command.name) : std::string{};
    auto names = check_names(command);
    facts_.has_nonsense |= is_unknown || !names;
    if (meant.empty()) return names;
    return text::failure("no command has the name " + text::in_quotes(command.name) + meant);
  }

  const routing::catalog& catalog_;
  bool as_json_;
  input_facts facts_;
  std::vector<std::byte> verdict_block_ = std::vector<std::byte>(routing::scratch_bytes);
  std::vector<std::byte> shape_block_ = std::vector<std::byte>(routing::scratch_bytes);
  routing::scratch verdict_memory_{verdict_block_};
  routing::scratch shape_memory_{shape_block_};
};

std::string error_line(const text::problem& problem, std::size_t line) {
  std::string text;
  text::json_writer json{text};
  json.object();
  json.text("error", problem.what);
  json.number("line", line);
  json.end();
  return text;
}

}  // namespace

int classify(const std::string& catalog_source, bool as_json, const std::string& fail_on) {
  if (fail_on != "scatter" && fail_on != "never") {
    return fail("classify",
                {"--fail-on", "expected scatter or never, not " + text::in_quotes(fail_on)});
  }
  if (catalog_source == config::catalog_options::mongos) {
    return report(
        {{catalog_source, "not supported here: use the output of scattergate catalog mongos"}});
  }
  const auto loaded = config::load_catalog(catalog_source);
  if (const int status = report(loaded.problems); status != 0) return status;
  std::ios::sync_with_stdio(false);
  line_classifier classifier{*loaded.value, as_json};
  config::line_reader lines{std::cin, wire::limits::max_message_bytes};
  while (lines.next()) {
    if (lines.is_blank()) continue;
    const auto judged = classifier.classify(lines);
    if (!judged) classifier.note_problem();
    std::string answer = judged ? *judged : error_line(judged.error(), lines.number());
    answer = as_json ? text::ci_safe(std::move(answer), text::ci_syntax::json)
                     : text::printable_line(answer);
    answer += '\n';
    std::cout.write(answer.data(), static_cast<std::streamsize>(answer.size()));
    // A caller that pipes commands one by one expects each answer at once.
    if (std::cin.rdbuf()->in_avail() <= 0) std::cout.flush();
  }
  std::cout.flush();
  const input_facts& found = classifier.facts();
  if (found.has_nonsense) return could_not;
  const bool fails = found.has_problem || (found.has_scatter && fail_on == "scatter");
  return std::cout && !fails ? 0 : 1;
}

}  // namespace scattergate::app
