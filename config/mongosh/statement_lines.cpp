#include "config/mongosh/statement_lines.hpp"

#include "config/text/text_readers.hpp"

namespace scattergate::config {
namespace {

/// The limit of a statement on several lines, in bytes.
constexpr std::size_t max_statement_bytes = 16UL << 20;

std::string_view without_blanks(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == line.npos) return {};
  line.remove_prefix(begin);
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

/// Whether a value follows, so that the line isn't the last one.
bool follows_operator(char last) {
  return std::string_view{"([{,:="}.find(last) != std::string_view::npos;
}

bool begins_shell_statement(std::string_view line) {
  return line.starts_with("db.") || line.starts_with("db[") || line.starts_with("use ");
}

/// Whether a value ends where its line does, as far as the line's first and last characters
/// show.
bool is_whole_line(std::string_view line) {
  const std::string_view value = without_blanks(line);
  const char first = value.empty() ? '\0' : value.front();
  return (first == '{' || first == '[') && value.size() > 1 &&
         (value.ends_with('}') || value.ends_with(']'));
}

/// Whether a line is a whole command of its own.
bool is_whole_command(std::string_view line) {
  return line.starts_with("{\"") && line.ends_with('}') && line.find("\"$db\"") != line.npos;
}

}  // namespace

bool statement_lines::is_shell() const noexcept {
  return begins_shell_statement(without_blanks(text_));
}

bool statement_lines::is_value() const noexcept {
  const std::size_t begin = text_.find_first_not_of(" \t\r\n");
  return begin != text_.npos && (text_[begin] == '{' || text_[begin] == '[');
}

bool statement_lines::read_line() {
  if (!has_line_) has_line_ = lines_.next();
  return has_line_;
}

void statement_lines::count_brackets(std::string_view line) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const std::string_view rest = line.substr(i);
    if (is_comment_) {
      if (rest.starts_with("*/")) is_comment_ = false, ++i;
    } else if (quote != '\0') {
      if (c == '\\') ++i;
      if (c == quote) quote = '\0';
    } else if (rest.starts_with("//")) {
      return;
    } else if (rest.starts_with("/*")) {
      is_comment_ = true;
      ++i;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      const bool is_regex = c == '/' && follows_operator(last_);
      if (c == '"' || c == '\'' || c == '`' || is_regex) quote = c;
      if (c == '(' || c == '[' || c == '{') ++depth_;
      if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
      last_ = c;
    }
  }
}

/// Whether the next line belongs to this statement.
bool statement_lines::continues_on(const std::string& next) const {
  if (text_.size() + next.size() > max_statement_bytes) return false;
  if (begins_shell_statement(next) || is_whole_command(next)) return false;
  if (depth_ > max_json_depth || (last_ == '{' && next.starts_with('{'))) return false;
  if (is_comment_ || depth_ > 0) return true;
  return !is_value() && without_blanks(next).starts_with('.');
}

bool statement_lines::next() {
  while (read_line() && lines_.is_blank()) has_line_ = false;
  if (!has_line_) return false;
  line_ = lines_.number();
  is_too_long_ = lines_.is_too_long();
  text_ = lines_.line();
  has_line_ = false;
  depth_ = 0;
  is_comment_ = false;
  last_ = '\0';
  if (is_too_long_ || is_whole_line(text_)) return true;
  count_brackets(text_);
  // A truncated command on one line ends in a value; one that is continued doesn't.
  if (is_value() && !follows_operator(last_) && !is_comment_) return true;
  for (;;) {
    const bool is_complete = depth_ == 0 && !is_comment_ && last_ != '=';
    if (is_complete && (is_value() || last_ == ';' || is_prompt_)) return true;
    if (!read_line() || lines_.is_too_long()) return true;
    const bool goes_on = last_ == '=' || continues_on(lines_.line());
    if (!goes_on) return true;
    text_ += '\n';
    text_ += lines_.line();
    count_brackets(lines_.line());
    has_line_ = false;
  }
}

}  // namespace scattergate::config
