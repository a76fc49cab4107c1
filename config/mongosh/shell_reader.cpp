#include "config/mongosh/shell_reader.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/mongosh/shell_scanner.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

namespace scattergate::config {
namespace {

using arguments = std::vector<shell_value>;

[[noreturn]] void refuse_type(std::string_view type, std::string_view expected) {
  throw shell_error{{0, std::string{type} + "(): expected " + std::string{expected}}};
}

shell_value wrapped(std::string_view wrapper, shell_value inner) {
  return shell_value::map({{std::string{wrapper}, std::move(inner)}});
}

/// The text of a constructor's only argument, a text or number in quotes or without.
std::string only_text(std::string_view type, const arguments& given,
                      std::string_view expected) {
  const bool is_text = given.size() == 1 && given.front().kind == node_kind::scalar;
  if (!is_text) refuse_type(type, expected);
  return given.front().text;
}

shell_value object_id(std::string_view type, const arguments& given) {
  // A new id, as the shell makes it, has a random value.
  if (given.empty()) return wrapped("$oid", shell_value::quoted("000000000000000000000000"));
  return wrapped("$oid", shell_value::quoted(only_text(type, given, "24 hexadecimal digits")));
}

shell_value date(std::string_view type, const arguments& given) {
  using namespace std::chrono;
  if (given.empty()) {
    const auto now = duration_cast<milliseconds>(system_clock::now().time_since_epoch());
    return wrapped("$date",
                   wrapped("$numberLong", shell_value::quoted(std::to_string(now.count()))));
  }
  std::string text = only_text(type, given, "a time, such as \"2026-01-31T12:00:00Z\"");
  if (given.front().is_plain) {
    return wrapped("$date", wrapped("$numberLong", shell_value::quoted(std::move(text))));
  }
  constexpr std::size_t day = std::string_view{"2026-01-31"}.size();
  constexpr std::size_t minute = std::string_view{"2026-01-31T12:00"}.size();
  if (text.size() == day) text += "T00:00:00Z";
  if (text.size() > day && text[day] == ' ') text[day] = 'T';
  const bool has_zone = text.size() > day && text.find_first_of("Z+-", day) != text.npos;
  if (text.size() >= minute && (text.size() == minute || text[minute] != ':')) {
    text.insert(minute, ":00");
  }
  if (!has_zone) text += 'Z';
  return wrapped("$date", shell_value::quoted(std::move(text)));
}

shell_value number_as(std::string_view type, std::string_view wrapper, const arguments& given) {
  if (given.empty()) return wrapped(wrapper, shell_value::quoted("0"));
  return wrapped(wrapper, shell_value::quoted(only_text(type, given, "a number")));
}

/// An integer of digits, with or without a sign.
shell_value integer_as(std::string_view type, std::string_view wrapper,
                       const arguments& given) {
  shell_value made = number_as(type, wrapper, given);
  std::string_view digits = made.members.front().text;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) {
    refuse_type(type, "an integer in decimal digits");
  }
  return made;
}

shell_value int32(std::string_view type, const arguments& given) {
  return integer_as(type, "$numberInt", given);
}

shell_value int64(std::string_view type, const arguments& given) {
  return integer_as(type, "$numberLong", given);
}

shell_value decimal(std::string_view type, const arguments& given) {
  return number_as(type, "$numberDecimal", given);
}

shell_value real(std::string_view type, const arguments& given) {
  return number_as(type, "$numberDouble", given);
}

shell_value uuid(std::string_view type, const arguments& given) {
  if (given.empty()) {
    return wrapped("$uuid", shell_value::quoted("00000000-0000-4000-8000-000000000000"));
  }
  return wrapped("$uuid", shell_value::quoted(only_text(type, given, "a UUID in quotes")));
}

shell_value binary(std::string_view type, const arguments& given) {
  if (given.size() != 2 || !given[1].is_string()) refuse_type(type, "a subtype and base64");
  constexpr std::string_view digits = "0123456789abcdef";
  unsigned subtype = 0;
  for (const char c : given[0].text) {
    if (c < '0' || c > '9' || subtype > 255) refuse_type(type, "a subtype from 0 to 255");
    subtype = subtype * 10 + static_cast<unsigned>(c - '0');
  }
  if (subtype > 255) refuse_type(type, "a subtype from 0 to 255");
  const std::string hex{digits[subtype / 16], digits[subtype % 16]};
  return wrapped("$binary", shell_value::map(
                                {{"base64", given[1]}, {"subType", shell_value::quoted(hex)}}));
}

shell_value timestamp(std::string_view type, const arguments& given) {
  if (given.size() == 1 && given.front().is_map()) return wrapped("$timestamp", given.front());
  if (given.size() != 2) refuse_type(type, "seconds and a counter");
  return wrapped("$timestamp", shell_value::map({{"t", given[0]}, {"i", given[1]}}));
}

/// A regular expression. Throws shell_error (without a line) for a flag that MongoDB lacks.
shell_value regex_value(std::string pattern, std::string_view flags) {
  std::string options;
  for (const char flag : flags) {
    if (std::string_view{"imsxu"}.find(flag) == std::string_view::npos) {
      throw shell_error{{0, std::string{"MongoDB has no flag "} + flag +
                                " of regular expressions (known: i, m, s, x)"}};
    }
    if (flag != 'u') options += flag;
  }
  std::sort(options.begin(), options.end());
  return wrapped("$regularExpression",
                 shell_value::map({{"pattern", shell_value::quoted(std::move(pattern))},
                                   {"options", shell_value::quoted(std::move(options))}}));
}

shell_value regex(std::string_view type, const arguments& given) {
  const bool has_flags = given.size() == 2 && given[1].is_string();
  if (given.empty() || !given[0].is_string() || (given.size() > 1 && !has_flags)) {
    refuse_type(type, "a pattern and flags in quotes");
  }
  return regex_value(given[0].text, has_flags ? given[1].text : "");
}

shell_value least_key(std::string_view, const arguments&) {
  return wrapped("$minKey", shell_value::plain("1"));
}

shell_value greatest_key(std::string_view, const arguments&) {
  return wrapped("$maxKey", shell_value::plain("1"));
}

struct type_row {
  std::string_view name;
  shell_value (*make)(std::string_view type, const arguments& given);
};

constexpr std::array<type_row, 20> types = {{
    {"ObjectId", object_id}, {"ObjectID", object_id},  {"ISODate", date},
    {"Date", date},          {"NumberInt", int32},     {"Int32", int32},
    {"NumberLong", int64},   {"Long", int64},          {"NumberDecimal", decimal},
    {"Decimal128", decimal}, {"Double", real},         {"UUID", uuid},
    {"BinData", binary},     {"Timestamp", timestamp}, {"RegExp", regex},
    {"BSONRegExp", regex},   {"MinKey", least_key},    {"MaxKey", greatest_key},
    {"Number", real},        {"NumberDouble", real},
}};

const type_row* find_type(std::string_view name) noexcept {
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const type_row& one) { return one.name == name; });
  return found == types.end() ? nullptr : &*found;
}

/// Whether mongosh has a type with this name: "ObjectId".
bool is_type(std::string_view name) noexcept {
  return find_type(name) != nullptr;
}

/// The value that a type's constructor makes. Throws shell_error (without a line) if the
/// arguments are wrong.
shell_value typed_value(std::string_view name, std::vector<shell_value> arguments) {
  return find_type(name)->make(name, arguments);
}

/// A double that JSON can't write: "NaN", "Infinity", "-Infinity".
shell_value double_value(std::string text) {
  return wrapped("$numberDouble", shell_value::quoted(std::move(text)));
}

/// More than MongoDB's limit of 200 levels.
constexpr std::size_t max_shell_depth = 250;

/// The limit of the memory of variables' values and their copies: a = [x, x]; x = [a, a]; ...
/// doubles it with each statement.
constexpr std::size_t max_variable_bytes = 64UL << 20;

constexpr std::string_view statement_forms =
    "expected a command {...}, db.COLLECTION.METHOD(...), use DATABASE, or NAME = VALUE";

/// Words that begin statements without commands, in scripts and in Compass's exports.
constexpr std::array<std::string_view, 9> idle_words = {
    "import", "show", "print", "printjson", "console", "require", "exit", "quit", "cls"};

bool is_idle(std::string_view word) {
  return std::find(idle_words.begin(), idle_words.end(), word) != idle_words.end();
}

}  // namespace

/// Parses one text.
class shell_reader::parser {
 public:
  parser(shell_reader& session, std::string_view text, std::size_t first_line)
      : session_(session), scan_(text, first_line) {
    if (!text::is_utf8(text)) scan_.fail("not UTF-8");
  }

  std::vector<shell_command> statements() {
    while (!scan_.at_end()) {
      if (!scan_.take(';')) statement();
    }
    return std::move(commands_);
  }

  shell_value whole_value() {
    shell_value made = value();
    static_cast<void>(scan_.take(';'));
    if (!scan_.at_end()) scan_.fail("unexpected text after the value: " + scan_.next_words());
    return made;
  }

 private:
  using kind = operand::kind;

  void statement() {
    const char next = scan_.peek();
    if (next == '{' || next == '[') scan_.fail(std::string{statement_forms} + ", not a value");
    std::string_view word = scan_.name();
    if (word == "use") {
      session_.database_ = scan_.name();
      if (session_.database_.empty()) scan_.fail("use: expected a database's name");
      return;
    }
    if (is_idle(word)) return scan_.skip_statement();
    if (word == "const" || word == "let" || word == "var") {
      // const { MongoClient } = require('mongodb')
      if (scan_.peek() == '{') return scan_.skip_statement();
      word = scan_.name();
    }
    if (word.empty()) scan_.fail(std::string{statement_forms} + ", not " + scan_.next_words());
    if (word != "await" && word != "new" && word != "return" && scan_.take('=')) {
      const std::string name{word};
      operand assigned = expression();
      note_variable_bytes(assigned.value);
      session_.variables_.insert_or_assign(name, std::move(assigned));
      return;
    }
    while (word == "await" || word == "return") word = scan_.name();
    const bool is_known = word == "db" || session_.variables_.contains(word);
    if (!is_known) scan_.fail(std::string{statement_forms} + ", not " + text::in_quotes(word));
    static_cast<void>(expression_after(word));
  }

  void note_variable_bytes(const shell_value& value) {
    session_.variable_bytes_ += value.size_bytes();
    if (session_.variable_bytes_ > max_variable_bytes)
      scan_.fail("the variables are too large");
  }

  /// A variable's value, as a part of another one.
  shell_value copy_of(const shell_value& value) {
    if (depth_ + value.depth() > max_shell_depth) scan_.fail("more than 250 levels");
    note_variable_bytes(value);
    return value;
  }

  operand expression() {
    const char next = scan_.peek();
    const bool is_name = next == '_' || next == '$' || (next >= 'a' && next <= 'z') ||
                         (next >= 'A' && next <= 'Z');
    if (is_name) return expression_after(scan_.name());
    operand made;
    made.is = kind::value;
    made.value = value();
    return made;
  }

  /// An expression whose first word has been taken.
  operand expression_after(std::string_view word) {
    if (++depth_ > max_shell_depth) scan_.fail("more than 250 levels");
    while (word == "await" || word == "return") word = scan_.name();
    operand at = primary(word);
    for (;;) {
      if (scan_.take('.')) {
        at = dot(std::move(at), std::string{scan_.name()});
      } else if (at.is == kind::database && scan_.take('[')) {
        if (scan_.peek() != '"' && scan_.peek() != '\'') scan_.fail("expected db[\"NAME\"]");
        at = collection_of(at, scan_.quoted());
        scan_.expect(']');
      } else if (at.is == kind::other && scan_.take('(')) {
        scan_.skip_brackets();
      } else {
        break;
      }
    }
    --depth_;
    return at;
  }

  operand primary(std::string_view word) {
    operand made;
    if (word == "db") {
      made.is = kind::database;
      made.collection.database = session_.database_;
      return made;
    }
    if (const auto found = session_.variables_.find(word); found != session_.variables_.end()) {
      return found->second;
    }
    if (is_literal_word(word)) {
      made.is = kind::value;
      made.value = value_after(word);
    }
    return made;
  }

  operand dot(operand of, const std::string& name) {
    if (name.empty()) scan_.fail("expected a name after the dot, not " + scan_.next_words());
    const bool is_call = scan_.take('(');
    if (of.is == kind::database)
      return is_call ? of_database(of, name) : collection_of(of, name);
    if (of.is == kind::collection) {
      if (is_call) return of_collection(of, name);
      of.collection.name += "." + name;
      return of;
    }
    if (is_call && of.is == kind::cursor) return of_cursor(of, name);
    operand made;
    if (!is_call) return made;
    if (of.is == kind::other && is_collection_method(name)) {
      scan_.fail(name + "(): which collection isn't known: expected db.COLLECTION." + name +
                 "(...)");
    }
    if (of.is == kind::other && (name == "db" || name == "getDB")) {
      made.is = kind::database;
      made.collection.database = text_argument();
      return made;
    }
    scan_.skip_brackets();
    return made;
  }

  operand of_database(const operand& of, const std::string& name) {
    if (name == "getCollection" || name == "collection") {
      operand made = collection_of(of, text_argument());
      made.collection.is_of_driver = name == "collection";
      return made;
    }
    if (name == "getSiblingDB" || name == "getDB") {
      operand made = of;
      made.collection.database = text_argument();
      return made;
    }
    if (name == "getMongo") {
      scan_.expect(')');
      return {};
    }
    const bool is_admin = name == "adminCommand";
    if (name != "runCommand" && !is_admin) {
      scan_.fail("db has no method " + text::in_quotes(name) +
                 " (known: getCollection, getSiblingDB, runCommand, adminCommand)");
    }
    shell_value body = value();
    static_cast<void>(scan_.take(','));
    scan_.expect(')');
    if (!body.is_map() || body.keys.empty()) scan_.fail(name + "(): expected a command, {...}");
    std::string database = is_admin ? "admin" : of.collection.database;
    const shell_value& first = body.members.front();
    if (database.empty() && first.is_string()) database = session_.find_database_(first.text);
    return send(std::move(body), database);
  }

  static operand collection_of(operand of, std::string name) {
    of.is = kind::collection;
    of.collection.name = std::move(name);
    return of;
  }

  operand of_collection(operand of, const std::string& method) {
    if (method == "explain" || method == "hint") {
      scan_.skip_brackets();
      return of;
    }
    shell_collection& collection = of.collection;
    if (collection.database.empty()) {
      collection.database = session_.find_database_(collection.name);
    }
    const std::size_t line = scan_.line();
    std::vector<shell_value> given = arguments();
    operand made;
    at_line(line, [&] {
      for (shell_value& each : commands_of(collection, method, std::move(given))) {
        made = send(std::move(each), collection.database);
      }
    });
    return made;
  }

  operand send(shell_value body, const std::string& database) {
    const std::size_t line = scan_.line();
    if (database.empty()) {
      scan_.fail(
          "the database isn't known: say use DATABASE before, or --collection "
          "DATABASE.COLLECTION");
    }
    body.set("$db", shell_value::quoted(database));
    operand made;
    made.is = kind::cursor;
    made.command = commands_.size();
    commands_.push_back({std::move(body), line});
    return made;
  }

  operand of_cursor(const operand& of, const std::string& method) {
    if (only_reads(method) || of.command >= commands_.size()) {
      scan_.skip_brackets();
      return of;
    }
    const std::size_t line = scan_.line();
    std::vector<shell_value> given = arguments();
    at_line(line,
            [&] { apply_to_cursor(commands_[of.command].body, method, std::move(given)); });
    return of;
  }

  template <typename Work>
  static void at_line(std::size_t line, Work work) {
    try {
      work();
    } catch (shell_error& wrong) {
      if (wrong.line == 0) wrong.line = line;
      throw;
    }
  }

  /// The arguments of a call whose opening bracket has been taken.
  std::vector<shell_value> arguments() {
    std::vector<shell_value> made;
    while (!scan_.take(')')) {
      made.push_back(value());
      if (!scan_.take(',')) {
        scan_.expect(')');
        break;
      }
    }
    return made;
  }

  std::string text_argument() {
    const auto all = arguments();
    if (all.size() != 1 || !all.front().is_string()) scan_.fail("expected a name in quotes");
    return all.front().text;
  }

  shell_value value() {
    if (++depth_ > max_shell_depth) scan_.fail("more than 250 levels");
    const std::size_t line = scan_.line();
    const char next = scan_.peek();
    shell_value made;
    if (next == '{') {
      made = map();
    } else if (next == '[') {
      made = list();
    } else if (next == '"' || next == '\'' || next == '`') {
      made = shell_value::quoted(scan_.quoted());
    } else if (next == '/') {
      auto [pattern, flags] = scan_.pattern();
      at_line(line, [&made, &source = pattern, &options = flags] {
        made = regex_value(std::move(source), options);
      });
    } else if (next == '-' || next == '+' || next == '.' || (next >= '0' && next <= '9')) {
      made = number();
    } else {
      const std::string_view word = scan_.name();
      if (word.empty()) scan_.fail("expected a value, not " + scan_.next_words());
      made = value_after(word);
    }
    made.line = line;
    --depth_;
    const char after = scan_.peek();
    if (after == '+' || after == '*' || after == '-' || after == '/') {
      scan_.fail("expected a literal value: scattergate doesn't compute " + scan_.next_words());
    }
    return made;
  }

  shell_value number() {
    const bool is_negative = scan_.take('-');
    if (is_negative && scan_.peek() == 'I') {
      if (scan_.name() == "Infinity") return double_value("-Infinity");
      scan_.fail("expected a number");
    }
    return shell_value::plain((is_negative ? "-" : "") + scan_.number());
  }

  /// A value whose first word has been taken.
  shell_value value_after(std::string_view word) {
    if (word == "new") word = scan_.name();
    if (word == "true" || word == "false" || word == "null") {
      return shell_value::plain(std::string{word});
    }
    if (word == "undefined") return shell_value::plain("null");
    if (word == "NaN" || word == "Infinity") return double_value(std::string{word});
    std::string name{word};
    if (is_type(name)) {
      const std::size_t line = scan_.line();
      shell_value made;
      std::vector<shell_value> given;
      if (scan_.take('(')) given = arguments();
      at_line(line, [&] { made = typed_value(name, std::move(given)); });
      return made;
    }
    const auto found = session_.variables_.find(name);
    if (found != session_.variables_.end() && found->second.is == kind::value) {
      return copy_of(found->second.value);
    }
    scan_.fail(text::in_quotes(name) +
               " isn't a value: expected a literal, such as 5, \"x\", true, {...}, [...], "
               "/x/, ObjectId(\"...\") or ISODate(\"...\")");
  }

  static bool is_literal_word(std::string_view word) {
    return word == "true" || word == "false" || word == "null" || word == "new" ||
           is_type(word);
  }

  shell_value list() {
    scan_.expect('[');
    shell_value made = shell_value::list();
    while (!scan_.take(']')) {
      made.members.push_back(value());
      if (!scan_.take(',')) {
        scan_.expect(']');
        break;
      }
    }
    return made;
  }

  shell_value map() {
    scan_.expect('{');
    shell_value made = shell_value::map();
    std::map<std::string, std::size_t, std::less<>> places;
    while (!scan_.take('}')) {
      const char first = scan_.peek();
      std::string key = map_key();
      // {filter} is {filter: filter}.
      const bool is_short = first != '"' && first != '\'' && !scan_.take(':');
      if (is_short && scan_.peek() != ',' && scan_.peek() != '}') scan_.expect(':');
      if (!is_short && (first == '"' || first == '\'')) scan_.expect(':');
      shell_value member = is_short ? value_after(key) : value();
      const auto [at, is_new] = places.emplace(key, made.members.size());
      if (is_new) {
        made.keys.push_back(std::move(key));
        made.members.push_back(std::move(member));
      } else {
        made.members[at->second] = std::move(member);
      }
      if (!scan_.take(',')) {
        scan_.expect('}');
        break;
      }
    }
    return made;
  }

  std::string map_key() {
    const char next = scan_.peek();
    if (next == '"' || next == '\'') return scan_.quoted();
    if (next >= '0' && next <= '9') return scan_.number();
    const std::string_view name = scan_.name();
    if (name.empty()) scan_.fail("expected a field's name, not " + scan_.next_words());
    return std::string{name};
  }

  shell_reader& session_;
  shell_scanner scan_;
  std::vector<shell_command> commands_;
  std::size_t depth_ = 0;
};

parse_result<std::vector<shell_command>> shell_reader::read(std::string_view text,
                                                            std::size_t first_line) {
  try {
    return parser{*this, text, first_line}.statements();
  } catch (const shell_error& wrong) {
    return parse_problem{wrong};
  }
}

parse_result<shell_value> shell_reader::read_value(std::string_view text,
                                                   std::size_t first_line) {
  try {
    return parser{*this, text, first_line}.whole_value();
  } catch (const shell_error& wrong) {
    return parse_problem{wrong};
  }
}

}  // namespace scattergate::config
