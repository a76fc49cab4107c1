#include "tests/sim/agreement/shrinking.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "tests/sim/agreement/views.hpp"

namespace scattergate::sim {
namespace {

/// All results of removing one part from `content`.
std::vector<value> smaller(const value& content);

std::vector<value> smaller_documents(const document& content) {
  std::vector<value> out;
  for (const field& left_out : content) {
    document without;
    for (const field& each : content) {
      if (&each != &left_out) without.append(each.name, each.content);
    }
    out.emplace_back(std::move(without));
  }
  for (std::size_t i = 0; i < content.size(); ++i) {
    // An expression with fewer operands may be none.
    if ((content.begin() + i)->name == "$expr") continue;
    for (value& less : smaller((content.begin() + i)->content)) {
      document changed = content;
      (changed.begin() + i)->content = std::move(less);
      out.emplace_back(std::move(changed));
    }
  }
  return out;
}

std::vector<value> smaller_arrays(const array& members) {
  std::vector<value> out;
  for (std::size_t i = 0; i < members.size(); ++i) {
    array without = members;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    out.emplace_back(std::move(without));
    for (value& less : smaller(members[i])) {
      array changed = members;
      changed[i] = std::move(less);
      out.emplace_back(std::move(changed));
    }
  }
  return out;
}

std::vector<value> smaller(const value& content) {
  if (const auto* inner = content.as<document>()) return smaller_documents(*inner);
  if (const auto* members = content.as<array>()) return smaller_arrays(*members);
  return {};
}

/// All results of removing one part from a stage or statement whose filter is `name`.
void add_smaller_filters(const document& part, std::string_view name,
                         const std::function<void(document)>& out) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    if ((part.begin() + i)->name != name) continue;
    for (value& less : smaller((part.begin() + i)->content)) {
      document changed = part;
      (changed.begin() + i)->content = std::move(less);
      out(std::move(changed));
    }
  }
}

/// A pipeline without one of its stages, or with less in one of its filters.
std::vector<array> smaller_pipelines(const array& stages) {
  std::vector<array> out;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    array without = stages;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    out.push_back(std::move(without));
    add_smaller_filters(*stages[i].as<document>(), "$match", [&](document less) {
      array changed = stages;
      changed[i] = std::move(less);
      out.push_back(std::move(changed));
    });
  }
  return out;
}

/// A statement without its collation or constants.
void add_plainer(const document& statement, const std::function<void(document)>& out) {
  for (const char* name : {"collation", "c", "constants"}) {
    document changed = statement;
    if (changed.erase(name)) out(std::move(changed));
  }
}

/// A bulkWrite without one of its operations, or with less in one of their filters.
std::vector<array> smaller_operations(const array& operations) {
  std::vector<array> out;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations.size() > 1) {
      out.push_back(operations);
      out.back().erase(out.back().begin() + static_cast<std::ptrdiff_t>(i));
    }
    const auto add = [&](document less) {
      array changed = operations;
      changed[i] = std::move(less);
      out.push_back(std::move(changed));
    };
    const auto& operation = *operations[i].as<document>();
    add_plainer(operation, add);
    for (const char* name : {"filter", "document"}) add_smaller_filters(operation, name, add);
  }
  return out;
}

constexpr std::array<std::string_view, 4> transaction_fields{"lsid", "txnNumber",
                                                             "startTransaction", "autocommit"};

/// The optional parts of a command; without them a server still accepts it.
std::vector<document> smaller_commands(const document& command) {
  std::vector<document> out;
  const auto add = [&](std::size_t at, value less) {
    document changed = command;
    (changed.begin() + at)->content = std::move(less);
    out.push_back(std::move(changed));
  };
  for (std::size_t i = 0; i < command.size(); ++i) {
    const field& each = *(command.begin() + i);
    if (each.name == "collation" || each.name == "rawData" || each.name == "let") {
      out.push_back(command);
      out.back().erase(each.name);
    } else if (each.name == "lsid") {
      out.push_back(command);
      for (const std::string_view part : transaction_fields) out.back().erase(part);
    } else if (each.name == "ops") {
      for (array& less : smaller_operations(*each.content.as<array>())) add(i, std::move(less));
    } else if (each.name == "filter" || each.name == "query") {
      for (value& less : smaller(each.content)) add(i, std::move(less));
    } else if (each.name == "pipeline" || each.name == view_field) {
      if (each.name == view_field) {
        out.push_back(command);
        out.back().erase(view_field);
      }
      for (array& less : smaller_pipelines(*each.content.as<array>())) add(i, std::move(less));
    } else if (each.name == "updates" || each.name == "deletes") {
      const auto& statement = *each.content.as<array>()->front().as<document>();
      const auto add_statement = [&](document less) { add(i, array{std::move(less)}); };
      add_plainer(statement, add_statement);
      add_smaller_filters(statement, "q", add_statement);
    }
  }
  return out;
}

class shape_writer {
 public:
  explicit shape_writer(const document& key) : key_(key) {}

  [[nodiscard]] std::string of(const value& content) const {
    if (const auto* inner = content.as<document>()) return of(*inner);
    if (const auto* members = content.as<array>()) {
      std::string out;
      for (const value& each : *members) out += (out.empty() ? "" : ", ") + of(each);
      return "[" + out + "]";
    }
    if (const auto* text = content.as<std::string>()) {
      return text->starts_with('$') ? path(*text) : "s";
    }
    if (content.is_number()) return "n";
    if (content.is<null>()) return "null";
    if (content.is<min_key>()) return "MinKey";
    if (content.is<max_key>()) return "MaxKey";
    if (content.is<regex>()) return "r";
    return content.is<bool>() ? "b" : "o";
  }

 private:
  [[nodiscard]] std::string of(const document& content) const {
    std::string out;
    for (const field& each : content) {
      out += (out.empty() ? "" : ", ") + name(each.name) + ": " + of(each.content);
    }
    return "{" + out + "}";
  }

  [[nodiscard]] std::string path(const std::string& text) const {
    return "$" + name(text.substr(1));
  }

  [[nodiscard]] std::string name(const std::string& text) const {
    if (text.starts_with('$')) return text;
    std::size_t place = 0;
    for (const field& each : key_) {
      const std::string letter = each.content.is_number() ? "k" : "h";
      if (each.name == text) return letter + std::to_string(place);
      ++place;
    }
    return text == "_id" ? text : "x";
  }

  const document& key_;
};

}  // namespace

document shrunk(document command, const std::function<bool(const document&)>& keeps) {
  for (bool is_smaller = true; is_smaller;) {
    is_smaller = false;
    // What couldn't be removed before can rarely be removed after another part: the last round
    // tries it again.
    for (std::size_t at = 0;;) {
      std::vector<document> all = smaller_commands(command);
      while (at < all.size() && !keeps(all[at])) ++at;
      if (at >= all.size()) break;
      command = std::move(all[at]);
      is_smaller = true;
    }
  }
  return command;
}

namespace {

/// A statement's parts: flags by their names, if they are set.
std::string shape_of_statement(const document& statement, const shape_writer& writer) {
  std::string out;
  for (const field& part : statement) {
    const bool is_flag = part.content.is<bool>() || part.content.is_number();
    const bool is_kind =
        part.name == "insert" || part.name == "update" || part.name == "delete";
    if (part.name == "collation" || part.name == "c" || part.name == "constants") {
      out += " " + part.name;
    } else if (is_flag) {
      if (is_kind || part.content.is_truthy()) out += " " + part.name;
    } else {
      out += " " + writer.of(part.content);
    }
  }
  return out;
}

}  // namespace

std::string shape_of(const document& command, const document& shard_key) {
  const shape_writer writer{shard_key};
  std::string out = command.front().name;
  for (const field& each : command) {
    const bool says_nothing = each.name == "cursor" || each.name == "nsInfo" ||
                              each.name == "lsid" || each.name == "txnNumber" ||
                              &each == command.begin();
    if (says_nothing) continue;
    const bool is_batch =
        each.name == "updates" || each.name == "deletes" || each.name == "ops";
    if (is_batch) {
      for (const value& one : *each.content.as<array>()) {
        out += shape_of_statement(*one.as<document>(), writer);
      }
    } else if (each.name == "collation") {
      out += " " + each.name;
    } else if (each.name == "let") {
      out += " let " + writer.of(each.content);
    } else if (each.content.is<bool>()) {
      if (each.content.is_truthy()) out += " " + each.name;
    } else {
      out += " " + writer.of(each.content);
    }
  }
  return out;
}

}  // namespace scattergate::sim
