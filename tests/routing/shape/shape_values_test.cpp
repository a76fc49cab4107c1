#include <fstream>
#include <iterator>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "routing/words/describe.hpp"
#include "tests/routing/judging_support.hpp"
#include "tests/routing/shape_support.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/source_folder.hpp"
#include "tests/wire/messages.hpp"
#include "wire/bson_writer.hpp"

// Shapes contain no values, wherever these are in a command.

namespace scattergate::routing_tests {
namespace {

using words = std::vector<std::string>;

/// Every word in quotes of a source of the router: the names that it knows.
words words_of(const std::string& file) {
  std::ifstream in{tests::source_folder() / "routing" / file};
  EXPECT_TRUE(in) << file;
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  const std::regex quoted{"\"([$_A-Za-z]+)\""};
  std::set<std::string> found;
  for (std::sregex_iterator each{text.begin(), text.end(), quoted};
       each != std::sregex_iterator{}; ++each) {
    found.insert((*each)[1]);
  }
  return {found.begin(), found.end()};
}

const words& commands() {
  static const words all = [] {
    words found = words_of("command_kind.cpp");
    const words more = words_of("command_table.hpp");
    found.insert(found.end(), more.begin(), more.end());
    return found;
  }();
  return all;
}

/// Arguments, operators, stages and options.
const words& names() {
  static const words all = [] {
    words found = words_of("shape/shape_writer.cpp");
    for (const auto* file : {"bounds/language.cpp", "bounds/match_operator.cpp",
                             "stages/stage.cpp", "statements/command_options.cpp"}) {
      const words more = words_of(file);
      found.insert(found.end(), more.begin(), more.end());
    }
    for (const auto* more :
         {"$push",     "$each", "$set",      "$setOnInsert", "$inc",   "$mul",     "$pull",
          "$addToSet", "$bit",  "$position", "$slice",       "min",    "max",      "index",
          "validator", "to",    "tags",      "unit",         "sortBy", "output",   "window",
          "text",      "path",  "startWith", "user",         "pwd",    "mechanism"}) {
      found.emplace_back(more);
    }
    return found;
  }();
  return all;
}

/// Places where a string, or one in a list, names a field or a collection (docs/shapes.md).
bool takes_names(const std::string& field) {
  // clang-format off
  static const std::set<std::string> all = {
      "$count", "$merge", "$out", "$rename", "$unionWith", "$unset", "as", "coll",
      "connectFromField", "connectToField", "db", "depthField", "distanceField", "foreignField",
      "from", "includeArrayIndex", "includeLocs", "into", "key", "localField", "merge", "ns",
      "on", "out", "reduce", "replace", "viewOn"};
  // clang-format on
  return all.contains(field);
}

constexpr std::string_view marked_text = "zQ7marked";
constexpr std::int32_t marked_number = 982'451'653;

/// Whether a text contains one of the marked values, in any form.
bool shows_a_value(const std::string& text) {
  for (const std::string_view trace :
       {"zQ7", "982451653", "98245.165", "feedface", "FEEDFACE", "elE3", "2001-02-"}) {
    if (text.find(trace) != text.npos) return true;
  }
  return false;
}

/// Writes marked values of all types.
class value_writer {
 public:
  static constexpr std::size_t types = 12;

  /// With `no_text` a number in the place of a string.
  static void write(wire::bson_writer& to, const std::string& name, std::size_t type,
                    bool no_text) {
    using enum wire::bson_type;
    const auto raw = [&](wire::bson_type what, const wire_tests::bytes& value) {
      to.raw(name, what, value);
    };
    using wire_tests::c_string;
    using wire_tests::joined;
    using wire_tests::little;
    switch (type) {
      case 0:
        if (no_text) return raw(int32, little(marked_number));
        return raw(string, wire_tests::string_value(marked_text));
      case 1:
        return raw(int32, little(marked_number));
      case 2:
        return raw(int64, little(std::int64_t{marked_number} * 1'000));
      case 3:
        return raw(float64, little(98'245.1653));
      case 4:
        return raw(object_id, wire_tests::text("\xfe\xed\xfa\xce\xfe\xed\xfa\xcezQ7m"));
      case 5:
        return raw(binary,
                   joined(little(9), little(std::int8_t{0}), wire_tests::text(marked_text)));
      case 6:
        return raw(regex, joined(c_string(marked_text), c_string("i")));
      case 7:
        return raw(date, little(std::int64_t{marked_number} * 1'000));
      case 8:
        return raw(code, wire_tests::string_value(marked_text));
      case 9:
        return raw(symbol, wire_tests::string_value(marked_text));
      case 10:
        return raw(timestamp, little(std::int64_t{marked_number} << 32U));
      default:
        return raw(decimal128, joined(little(std::int64_t{marked_number}),
                                      little(std::int64_t{0x3040'0000'0000'0000})));
    }
  }
};

/// Commands that hold nothing but marked values and names that the router knows.
class marked_commands {
 public:
  /// A value of every type at `name`: bare, in a list, in a document, in a list of documents.
  static void everything(wire::bson_writer& to, const std::string& name, int how) {
    const bool no_text = takes_names(name);
    if (how < static_cast<int>(value_writer::types)) {
      return value_writer::write(to, name, static_cast<std::size_t>(how), no_text);
    }
    const int form = how - static_cast<int>(value_writer::types);
    form % 2 == 0 ? to.open_array(name) : to.open_document(name);
    if (form >= 2) to.open_document(form % 2 == 0 ? "0" : "f");
    for (std::size_t type = 0; type != value_writer::types; ++type) {
      value_writer::write(to, std::to_string(type) + (form == 0 ? "" : "x"), type,
                          no_text && (form == 0 || name == "$rename"));
    }
    if (form >= 2) to.close();
    to.close();
  }
  static constexpr int ways = static_cast<int>(value_writer::types) + 4;

  /// Anything, a few levels deep.
  void anything(wire::bson_writer& to, const std::string& name, int levels, bool no_text) {
    const bool names_only = no_text || takes_names(name);
    const auto choice = random_() % 4;
    if (levels == 0 || choice == 0) {
      return value_writer::write(to, name, random_() % value_writer::types, names_only);
    }
    const bool is_list = choice == 1;
    is_list ? to.open_array(name) : to.open_document(name);
    const bool stays = is_list || name == "$rename";
    for (std::size_t i = 0, count = random_() % 4; i != count; ++i) {
      const std::string inner = is_list ? std::to_string(i) : any_of(names());
      anything(to, inner, levels - 1, stays && names_only);
    }
    to.close();
  }

  const std::string& any_of(const words& some) { return some[random_() % some.size()]; }

 private:
  std::mt19937 random_{20261122};
};

/// The outputs of all views about a command.
class outputs {
 public:
  [[nodiscard]] std::string about(const std::vector<std::byte>& body) {
    const auto view = wire::document_view::from(body);
    const auto command = wire::command_of(view.value());
    if (!command) return {};
    const auto verdict = routing::classify(*command, *entries_, judging_.memory());
    return routing::verdict_json(verdict, *command, *entries_, shaping_.memory()) +
           routing::verdict_line(verdict, *command, *entries_);
  }

 private:
  std::shared_ptr<const routing::catalog> entries_ = catalog_of(
      R"({"collections": [{"ns": "d.c", "key": {"a": 1, "b": "hashed"}, "splits": [{"a": 0}]}]})");
  lent_scratch judging_;
  lent_scratch shaping_;
};

/// `write` writes the command's arguments.
template <typename Write>
std::vector<std::byte> command_of(const std::string& name, Write write) {
  wire::bson_writer to;
  to.text(name, "c");
  to.text("$db", "d");
  write(to);
  return to.take();
}

/// A sanitizer sees each seventh name; 7 shares no factor with the number of ways.
constexpr std::size_t name_step = tests::has_sanitizer ? 7 : 1;

TEST(shape_values, never_come_out_of_any_argument_of_any_command) {
  ASSERT_GT(commands().size(), 200U);
  ASSERT_GT(names().size(), 300U);
  outputs all;
  for (const std::string& command : commands()) {
    for (std::size_t i = 0; i < names().size(); i += name_step) {
      // Each argument in each command, in one of the ways; all ways in those that are shaped.
      const std::string& argument = names()[i];
      const bool is_routed =
          routing::family_of(routing::kind_of(command)) == routing::command_family::routed;
      const int first = is_routed ? 0 : static_cast<int>(i) % marked_commands::ways;
      const int last = is_routed ? marked_commands::ways : first + 1;
      for (int how = first; how != last; ++how) {
        if (argument == command) continue;
        const auto body = command_of(command, [&](wire::bson_writer& to) {
          marked_commands::everything(to, argument, how);
        });
        const std::string text = all.about(body);
        ASSERT_FALSE(shows_a_value(text)) << command << ' ' << argument << ' ' << text;
      }
    }
  }
}

/// The places in a command where a name may stand.
struct place {
  const char* command;
  const char* what;
  std::vector<const char*> path;  ///< "[" before the name of a list
};

TEST(shape_values, never_come_out_of_any_operator_or_stage) {
  const std::vector<place> places = {
      {"find", "a filter", {"filter"}},
      {"find", "a predicate", {"filter", "f"}},
      {"find", "a nested filter", {"filter", "[$or", "0"}},
      {"find", "an expression", {"filter", "$expr"}},
      {"find", "a projection", {"projection", "f"}},
      {"find", "a sort", {"sort"}},
      {"find", "a hint", {"hint"}},
      {"find", "a sort's field", {"sort", "f"}},
      {"find", "a collation", {"collation"}},
      {"aggregate", "a stage", {"[pipeline", "0"}},
      {"aggregate", "a stage's sort", {"[pipeline", "0", "$sort"}},
      {"aggregate", "a look-up", {"[pipeline", "0", "$lookup"}},
      {"aggregate", "a nested pipeline", {"[pipeline", "0", "$lookup", "[pipeline", "0"}},
      {"aggregate", "a merge", {"[pipeline", "0", "$merge"}},
      {"aggregate", "a group", {"[pipeline", "0", "$group", "f"}},
      {"aggregate", "an array's sort", {"[pipeline", "0", "$set", "f", "$sortArray", "sortBy"}},
      {"aggregate", "near", {"[pipeline", "0", "$geoNear"}},
      {"aggregate", "windows", {"[pipeline", "0", "$setWindowFields"}},
      {"findAndModify", "an update", {"update"}},
      {"findAndModify", "an update's field", {"update", "$set"}},
      {"findAndModify", "a push", {"update", "$push", "f"}},
      {"findAndModify", "a push's sort", {"update", "$push", "f", "$sort"}},
      {"update", "a statement", {"[updates", "0"}},
      {"update", "a statement's collation", {"[updates", "0", "collation"}},
      {"delete", "a statement", {"[deletes", "0"}},
      {"bulkWrite", "an operation", {"[ops", "0"}},
      {"createIndexes", "an index", {"[indexes", "0"}},
      {"createIndexes", "a key", {"[indexes", "0", "key"}},
      {"mapReduce", "its output", {"out"}},
      {"create", "time series", {"timeseries"}},
      {"explain", "a find", {"explain"}},
  };
  outputs all;
  for (const place& where : places) {
    for (std::size_t n = 0; n < names().size(); n += name_step) {
      const std::string& name = names()[n];
      for (int how = 0; how != marked_commands::ways; ++how) {
        const auto body = command_of(where.command, [&](wire::bson_writer& to) {
          for (const std::string step : where.path) {
            step.starts_with('[') ? to.open_array(step.substr(1)) : to.open_document(step);
          }
          marked_commands::everything(to, name, how);
          for (std::size_t i = 0; i != where.path.size(); ++i) to.close();
        });
        const std::string text = all.about(body);
        ASSERT_FALSE(shows_a_value(text)) << where.what << ' ' << name << ' ' << text;
      }
    }
  }
}

TEST(shape_values, never_come_out_of_anything_at_all) {
  outputs all;
  marked_commands source;
  for (int i = 0; i != 50'000; ++i) {
    const auto body = command_of(source.any_of(commands()), [&](wire::bson_writer& to) {
      for (int argument = 0; argument != 3; ++argument) {
        source.anything(to, source.any_of(names()), 6, false);
      }
    });
    const std::string text = all.about(body);
    ASSERT_FALSE(shows_a_value(text)) << text;
  }
}

}  // namespace
}  // namespace scattergate::routing_tests
