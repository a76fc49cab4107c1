#include "routing/classify.hpp"

#include <iostream>
#include <set>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "app/catalog_source.hpp"
#include "app/json_list.hpp"
#include "app/subcommands.hpp"
#include "app/terminal.hpp"
#include "config/mongosh/shell_reader.hpp"
#include "config/mongosh/statement_lines.hpp"
#include "config/text/extended_json.hpp"
#include "config/text/input.hpp"
#include "routing/words/describe.hpp"
#include "text/json_writer.hpp"
#include "text/names.hpp"
#include "text/printable.hpp"
#include "wire/limits.hpp"

namespace scattergate::app {
namespace {

/// What classify found in its input, for the exit status.
struct input_facts {
  bool has_problem = false;   ///< a statement isn't a command
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

/// The collection of --collection.
struct named_collection {
  std::string database;  ///< empty: not given
  std::string name;      ///< empty: no --collection
};

/// The database of a collection that is named alone: the catalog's only one with such a
/// collection, else the catalog's only database; empty if there is no such one.
std::string database_of(std::string_view collection, const routing::catalog& catalog) {
  std::set<std::string_view> all;
  std::set<std::string_view> with_collection;
  for (const routing::collection& each : catalog.collections()) {
    all.insert(each.database);
    if (each.name == collection) with_collection.insert(each.database);
  }
  const std::set<std::string_view>& found = with_collection.empty() ? all : with_collection;
  return found.size() == 1 ? std::string{*found.begin()} : std::string{};
}

/// Parses --collection: DATABASE.COLLECTION, or COLLECTION, whose database the catalog shows.
text::result<named_collection> parse_collection(std::string_view given,
                                                const routing::catalog& catalog) {
  if (given.empty()) return named_collection{};
  const std::size_t dot = given.find('.');
  named_collection made{std::string{given.substr(0, dot == given.npos ? 0 : dot)},
                        std::string{given.substr(dot == given.npos ? 0 : dot + 1)}};
  if (dot == given.npos) made.database = database_of(made.name, catalog);
  if (!made.database.empty() && !made.name.empty()) return made;
  return text::problem{"--collection",
                       "expected DATABASE.COLLECTION, not " + text::in_quotes(given)};
}

/// Whether a value is a command on a collection, not a filter.
bool is_command_on(std::string_view collection, const config::shell_value& value) {
  return value.is_map() && !value.keys.empty() && value.members.front().is_string() &&
         value.members.front().text == collection &&
         routing::kind_of(value.keys.front()) != routing::command_kind::other;
}

/// A filter, pipeline or command as a command on the collection of --collection.
config::shell_value command_on(const named_collection& named, config::shell_value value) {
  using config::shell_value;
  if (value.find("$db") != nullptr) return value;
  const shell_value name = shell_value::quoted(named.name);
  shell_value made;
  if (value.is_list()) {
    made = shell_value::map(
        {{"aggregate", name}, {"pipeline", std::move(value)}, {"cursor", shell_value::map()}});
  } else if (is_command_on(named.name, value)) {
    made = std::move(value);
  } else {
    made = shell_value::map({{"find", name}, {"filter", std::move(value)}});
  }
  made.set("$db", shell_value::quoted(named.database));
  return made;
}

/// Judges the commands of one input.
class statement_classifier {
 public:
  statement_classifier(const routing::catalog& catalog, named_collection named, bool as_json)
      : catalog_(catalog), named_(std::move(named)), as_json_(as_json) {}

  [[nodiscard]] const input_facts& facts() const noexcept { return facts_; }

  /// Judges the commands of a statement; appends a verdict in words or JSON, or an error, for
  /// each, one per line.
  void classify(const config::statement_lines& from, std::string& to) {
    if (from.is_too_long()) {
      return add_error("longer than the 48,000,000 bytes of a message", from.line(), to);
    }
    if (from.is_value()) {
      const auto body = body_of(from);
      return body ? judge(*body, from.line(), to)
                  : add_error(body.error().what, from.line(), to);
    }
    const auto commands = shell_.read(from.text(), from.line());
    if (!commands) {
      facts_.has_nonsense |= from.is_shell();
      return add_error(commands.error().what, commands.error().line, to);
    }
    for (const config::shell_command& each : *commands) {
      const auto body = each.body.to_bson();
      body ? judge(*body, each.line, to) : add_error(body.error().what, each.line, to);
    }
  }

 private:
  void add_error(const std::string& what, std::size_t line, std::string& to) {
    facts_.has_problem = true;
    text::json_writer json{to};
    json.object();
    json.text("error", what);
    json.number("line", line);
    json.end();
    to += '\n';
  }

  /// The command that a value is, or that --collection makes of it.
  config::parse_result<config::bson_bytes> body_of(const config::statement_lines& from) {
    const bool is_list = is_json_list(from.text());
    if (named_.name.empty() && is_list) {
      return config::parse_problem{
          from.line(), "expected a command, not a list; for a pipeline, pass --collection"};
    }
    // The quick reader of JSON comes first, for input of many commands.
    if (named_.name.empty()) {
      if (auto strict = config::bson_of_json(from.text())) return strict;
    }
    auto value = shell_.read_value(from.text(), from.line());
    if (!value) return value.error();
    if (named_.name.empty()) return value->to_bson();
    return command_on(named_, *std::move(value)).to_bson();
  }

  void judge(const config::bson_bytes& body, std::size_t line, std::string& to) {
    const auto command = wire::command_of(body.view());
    if (!command) {
      return add_error("not a command: " + std::string{label(command.error())}, line, to);
    }
    if (command->database.empty() && takes_collection(routing::kind_of(command->name))) {
      return add_error("the command has no $db", line, to);
    }
    if (const auto checked = check_sense(*command); !checked) {
      return add_error(checked.error().what, line, to);
    }
    const routing::verdict verdict = routing::classify(*command, catalog_, verdict_memory_);
    facts_.has_scatter |= verdict.routing == routing::routing_class::scatter_gather;
    to += as_json_ ? verdict_json(verdict, *command, catalog_, shape_memory_)
                   : verdict_line(verdict, *command, catalog_);
    to += '\n';
  }

  /// Finds names that no MongoDB accepts. A command whose name isn't a misspelt one may be a
  /// newer version's, so it is judged, as unknown.
  text::result<void> check_sense(const wire::command& command) {
    const bool is_unknown = routing::kind_of(command.name) == routing::command_kind::other;
    const std::string meant = is_unknown ? meant_command(command.name) : std::string{};
    auto names = check_names(command);
    facts_.has_nonsense |= is_unknown || !names;
    if (!meant.empty()) {
      return text::failure("no command has the name " + text::in_quotes(command.name) + meant);
    }
    if (is_unknown && command.database.empty()) {
      return text::failure("no command has the name " + text::in_quotes(command.name) +
                           ", and there is no $db; for a filter, pass --collection");
    }
    return names;
  }

  const routing::catalog& catalog_;
  named_collection named_;
  bool as_json_;
  input_facts facts_;
  config::shell_reader shell_{[this](std::string_view collection) {
    return named_.database.empty() ? database_of(collection, catalog_) : named_.database;
  }};
  std::vector<std::byte> verdict_block_ = std::vector<std::byte>(routing::scratch_bytes);
  std::vector<std::byte> shape_block_ = std::vector<std::byte>(routing::scratch_bytes);
  routing::scratch verdict_memory_{verdict_block_};
  routing::scratch shape_memory_{shape_block_};
};

}  // namespace

int classify(const std::string& catalog_source, const std::string& collection, bool as_json,
             const std::string& fail_on) {
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
  warn_of_faults("classify", *loaded.value);
  std::ios::sync_with_stdio(false);
  auto named = parse_collection(collection, *loaded.value);
  if (!named) return fail("classify", named.error());
  statement_classifier classifier{*loaded.value, *std::move(named), as_json};
  config::line_reader lines{std::cin, wire::limits::max_message_bytes};
  config::statement_lines statements{lines, isatty(STDIN_FILENO) == 1};
  while (statements.next()) {
    std::string answer;
    classifier.classify(statements, answer);
    answer = as_json ? text::ci_safe(std::move(answer), text::ci_syntax::json)
                     : text::printable_lines(answer);
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
