#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options/glob_relations.hpp"

/// The value types of the conditions of rules (match_conditions.hpp). They share these members:
/// - `is_given()`: whether a value is set. A value that isn't set matches everything.
/// - `read` and `show`: parse the value, and format it as YAML.
/// - `a.covers(b)`: whether `a` matches everything that `b` matches.
/// - `a.meets(b)`: whether something may match both.
/// The last two return false if the answer can't be determined within the glob_budget.
namespace scattergate::config {

struct map_entry;
class problem_log;

/// A text that must be equal, byte by byte; a text that isn't set matches all texts.
struct exact_text {
  static constexpr bool is_glob = false;
  std::string value;

  exact_text() = default;
  exact_text(std::string text) : value(std::move(text)) {}
  exact_text(const char* text) : value(text) {}

  [[nodiscard]] bool is_given() const noexcept { return !value.empty(); }
  void read(const map_entry& entry, problem_log& problems);
  [[nodiscard]] std::string show() const;
  [[nodiscard]] bool covers(const exact_text& narrow, glob_budget&) const noexcept {
    return !is_given() || value == narrow.value;
  }
  [[nodiscard]] bool meets(const exact_text& other, glob_budget&) const noexcept {
    return !is_given() || !other.is_given() || value == other.value;
  }
  friend bool operator==(const exact_text&, const exact_text&) = default;
};

/// A glob that a text must match; a glob that isn't set matches all texts. `Of`: the texts that
/// covers() and meets() take into account.
template <texts Of>
struct glob_text {
  static constexpr bool is_glob = true;
  std::string value;

  glob_text() = default;
  glob_text(std::string glob) : value(std::move(glob)) {}
  glob_text(const char* glob) : value(glob) {}

  [[nodiscard]] bool is_given() const noexcept { return !value.empty(); }
  void read(const map_entry& entry, problem_log& problems);
  [[nodiscard]] std::string show() const;
  [[nodiscard]] bool covers(const glob_text& narrow, glob_budget& budget) const {
    return config::covers(pattern(), narrow.pattern(), Of, budget).value_or(false);
  }
  [[nodiscard]] bool meets(const glob_text& other, glob_budget& budget) const {
    return config::meet(pattern(), other.pattern(), Of, budget).value_or(false);
  }
  friend bool operator==(const glob_text&, const glob_text&) = default;

 private:
  [[nodiscard]] std::string_view pattern() const noexcept {
    return is_given() ? std::string_view{value} : "*";
  }
};

/// A value that must be equal; a value that isn't set matches all values.
template <typename Value>
struct one_value {
  static constexpr bool is_glob = false;
  std::optional<Value> value;

  one_value() = default;
  one_value(Value given) : value(std::move(given)) {}

  [[nodiscard]] bool is_given() const noexcept { return value.has_value(); }
  [[nodiscard]] bool covers(const one_value& narrow, glob_budget&) const {
    return !is_given() || value == narrow.value;
  }
  [[nodiscard]] bool meets(const one_value& other, glob_budget&) const {
    return !is_given() || !other.is_given() || value == other.value;
  }
  friend bool operator==(const one_value&, const one_value&) = default;
};

/// The default comparison of two members of any_of lists: they match only if they are equal.
template <typename Value>
struct equal_members {
  static bool covers(const Value& wide, const Value& narrow) { return wide == narrow; }
  static bool meet(const Value& one, const Value& other) { return one == other; }
};

/// A list of values, of which one must match; an empty list matches everything. `Relation`:
/// functions that compare two members, as equal_members does.
template <typename Value, typename Relation = equal_members<Value>>
struct any_of {
  static constexpr bool is_glob = false;
  std::vector<Value> value;

  any_of() = default;
  any_of(std::vector<Value> given) : value(std::move(given)) {}
  any_of(std::initializer_list<Value> given) : value(given) {}

  [[nodiscard]] bool is_given() const noexcept { return !value.empty(); }
  [[nodiscard]] bool covers(const any_of& narrow, glob_budget&) const {
    if (!is_given()) return true;
    return narrow.is_given() && std::ranges::all_of(narrow.value, [this](const Value& one) {
             return std::ranges::any_of(
                 value, [&](const Value& each) { return Relation::covers(each, one); });
           });
  }
  [[nodiscard]] bool meets(const any_of& other, glob_budget&) const {
    if (!is_given() || !other.is_given()) return true;
    return std::ranges::any_of(value, [&](const Value& one) {
      return std::ranges::any_of(other.value,
                                 [&](const Value& each) { return Relation::meet(one, each); });
    });
  }
  friend bool operator==(const any_of&, const any_of&) = default;
};

/// A set of names; the set to match must have exactly these names, in any order. An empty set
/// matches everything.
struct set_of_names {
  static constexpr bool is_glob = false;
  std::vector<std::string> value;

  set_of_names() = default;
  set_of_names(std::vector<std::string> given) : value(std::move(given)) {}
  set_of_names(std::initializer_list<std::string> given) : value(given) {}

  [[nodiscard]] bool is_given() const noexcept { return !value.empty(); }
  [[nodiscard]] std::string show() const;
  [[nodiscard]] bool covers(const set_of_names& narrow, glob_budget&) const {
    return !is_given() || is_same_as(narrow);
  }
  [[nodiscard]] bool meets(const set_of_names& other, glob_budget&) const {
    return !is_given() || !other.is_given() || is_same_as(other);
  }
  friend bool operator==(const set_of_names&, const set_of_names&) = default;

 private:
  [[nodiscard]] bool is_same_as(const set_of_names& other) const;
};

}  // namespace scattergate::config
