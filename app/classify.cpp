#include "routing/classify.hpp"

#include <cstdio>
#include <iostream>
#include <string_view>
#include <vector>

#include "app/json_list.hpp"
#include "app/subcommands.hpp"
#include "config/text/extended_json.hpp"
#include "config/text/input.hpp"
#include "routing/words/describe.hpp"
#include "text/ci_commands.hpp"
#include "text/json_writer.hpp"
#include "text/printable.hpp"
#include "wire/limits.hpp"

namespace scattergate::app {
namespace {

/// Judges the commands of one input.
class line_classifier {
 public:
  line_classifier(const routing::catalog& catalog, bool as_json)
      : catalog_(catalog), as_json_(as_json) {}

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
    const routing::verdict verdict = routing::classify(*command, catalog_, verdict_memory_);
    return as_json_ ? verdict_json(verdict, *command, catalog_, shape_memory_)
                    : verdict_line(verdict, *command, catalog_);
  }

 private:
  const routing::catalog& catalog_;
  bool as_json_;
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

int classify(const std::string& catalog_source, bool as_json) {
  if (catalog_source == config::catalog_options::mongos) {
    return report(
        {{catalog_source, "not supported here: use the output of scattergate catalog mongos"}});
  }
  const auto loaded = config::load_catalog(catalog_source);
  if (const int status = report(loaded.problems); status != 0) return status;
  std::ios::sync_with_stdio(false);
  line_classifier classifier{*loaded.value, as_json};
  config::line_reader lines{std::cin, wire::limits::max_message_bytes};
  int status = 0;
  while (lines.next()) {
    if (lines.is_blank()) continue;
    const auto judged = classifier.classify(lines);
    if (!judged) status = 1;
    std::string answer = judged ? *judged : error_line(judged.error(), lines.number());
    answer = as_json ? text::without_ci_commands(std::move(answer), text::hash_in_json)
                     : text::printable_line(answer);
    answer += '\n';
    std::cout.write(answer.data(), static_cast<std::streamsize>(answer.size()));
    // A caller that pipes commands one by one expects each answer at once.
    if (std::cin.rdbuf()->in_avail() <= 0) std::cout.flush();
  }
  std::cout.flush();
  return std::cout ? status : 1;
}

}  // namespace scattergate::app
