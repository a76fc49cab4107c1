#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "config/mongosh/shell_reader.hpp"
#include "config/mongosh/statement_lines.hpp"
#include "tests/fuzz/require.hpp"

/// Any text divides into statements without loss of a line, and each makes commands, which are
/// BSON or name a problem, or a problem with a line of the statement. The input is the text.
namespace {

using scattergate::fuzz::require;
using namespace scattergate;

std::size_t lines_in(std::string_view text) {
  std::size_t count = 1;
  for (const char c : text) count += c == '\n' ? 1 : 0;
  return count;
}

void require_problem(const config::parse_problem& problem,
                     const config::statement_lines& from) {
  require(!problem.what.empty() && problem.line >= from.line());
  require(problem.line < from.line() + lines_in(from.text()));
}

void require_bson(const config::shell_value& value) {
  const auto made = value.to_bson();
  require(made ? made->view().size_bytes() == made->bytes.size() : !made.error().what.empty());
}

void require_read(config::shell_reader& reader, const config::statement_lines& from) {
  if (from.is_value()) {
    const auto value = reader.read_value(from.text(), from.line());
    if (!value) return require_problem(value.error(), from);
    return require_bson(*value);
  }
  const auto commands = reader.read(from.text(), from.line());
  if (!commands) return require_problem(commands.error(), from);
  for (const config::shell_command& each : *commands) {
    require(each.body.find("$db") != nullptr && each.line >= from.line());
    require_bson(each.body);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t max_line_bytes = 4096;
  std::istringstream stream{std::string{reinterpret_cast<const char*>(data), size}};
  config::line_reader lines{stream, max_line_bytes};
  config::statement_lines statements{lines, false};
  config::shell_reader reader{[](std::string_view) { return std::string{"shop"}; }};
  std::size_t next_line = 1;
  while (statements.next()) {
    require(statements.line() >= next_line);
    next_line = statements.line() + lines_in(statements.text());
    if (!statements.is_too_long()) require_read(reader, statements);
  }
  return 0;
}
