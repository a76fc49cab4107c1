#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "config/options/glob_relations.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/problem_log.hpp"
#include "net/network.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/command_kind.hpp"
#include "routing/verdict.hpp"
#include "text/printable.hpp"
#include "text/problem.hpp"
#include "text/time_text.hpp"
#include "wire/label_table.hpp"
#include "wire/limits.hpp"
#include "wire/namespace_view.hpp"

/// The conditions of a rule's `match`, one type for each. To add a condition, add a type here,
/// a member of rule_match and its name in conditions_of(); the compiler reports it if one is
/// missing. Functions over all conditions (reading, writing, comparing, matching) are in
/// rule_match.hpp.

/// The value types of the conditions of rules (match_conditions.hpp). They share these members:
/// - `is_given()`: whether a value is set. A value that isn't set matches everything.
/// - `read` and `show`: parse the value, and format it as YAML.
/// - `a.covers(b)`: whether `a` matches everything that `b` matches.
/// - `a.meets(b)`: whether something may match both.
/// The last two return false if the answer can't be determined within the glob_budget.
namespace scattergate::config {

/// Reads a text of 1 to 256 bytes from a map's entry, and passes it to `set`, a function that
/// returns a text::result<void>. Adds a problem if the text is missing or invalid, or if `set`
/// returns one; that one must say what is expected.
template <typename Set>
void read_words(const map_entry& entry, problem_log& problems, Set set) {
  // The limit for a glob or name. Commands' comments are truncated to this length, too.
  constexpr std::size_t max_text_bytes = 256;
  std::string words;
  if (!read_text(entry, words, problems)) return;
  const auto refuse = [&](const std::string& why) {
    problems.add(entry.line, std::string{entry.key} + ": " + why);
  };
  if (words.empty()) return refuse("is empty; omit it to match any");
  if (words.size() > max_text_bytes) {
    return refuse("is longer than " + std::to_string(max_text_bytes) + " bytes");
  }
  const text::result<void> taken = set(std::string_view{words});
  if (!taken) refuse(taken.error().what + ", not " + text::in_quotes(words));
}

/// Reads one text or a list of up to 100 texts from a map's entry. Passes each text to `add`, a
/// function that returns whether the text is valid. Adds a problem for each invalid text:
/// `expected`, such as "expected an address". `noun`: the word for one such text in problems.
template <typename Add>
void read_some(const map_entry& entry, std::string_view noun, std::string_view expected,
               problem_log& problems, Add add) {
  constexpr std::size_t max_listed = 100;  // a command is compared with each
  const std::string key{entry.key};
  const auto read = [&](const text_tree::node& one) {
    if (one.is_scalar() && add(one.text())) return;
    const std::string given =
        one.is_scalar() ? ", not " + text::in_quotes(one.text()) : std::string{};
    problems.add(one.line(), key + ": " + std::string{expected} + given);
  };
  if (!entry.value.is_list()) return read(entry.value);
  const auto given = members_of(entry.value, key, problems);
  if (given.empty()) {
    problems.add(entry.line, key + " names no " + std::string{noun} + "; omit it to match any");
  } else if (given.size() > max_listed) {
    problems.add(entry.line, key + ": more than " + std::to_string(max_listed) + " entries");
  } else {
    for (const text_tree::node& one : given) read(one);
  }
}

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

/// The client that sent a message, and the day on which the message is judged.
struct sender {
  std::string_view app;                     ///< the client's appName; empty: none
  std::string_view user;                    ///< the client's user name; empty: none
  const net::ip_address* remote = nullptr;  ///< null: a Unix socket
  text::day today{};                        ///< the day on which the message is judged, in UTC
  /// The client has authenticated by messages that scattergate couldn't read, so its user may
  /// be any.
  bool may_be_any_user = false;
};

/// A namespace as the text "db.collection", to compare with globs. Longer texts than any valid
/// namespace are truncated. Doesn't allocate. REQUIRES: the namespace outlives this object.
class namespace_text {
 public:
  explicit namespace_text(const wire::namespace_view& of) noexcept;
  namespace_text(const namespace_text&) = delete;
  namespace_text& operator=(const namespace_text&) = delete;

  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }

  /// Whether the glob matches this namespace. A glob that matches a time series also matches
  /// the collection with its buckets.
  [[nodiscard]] bool matches(std::string_view glob) const noexcept;

 private:
  void put(std::string_view part) noexcept;

  std::array<char, wire::limits::max_namespace_bytes + 1> text_;
  std::size_t size_ = 0;
  wire::namespace_view of_;
};

/// The hashes of a command's shape (the command without its values). Each is computed when it
/// is first requested.
class shape_names {
 public:
  /// Scattergate's hash.
  [[nodiscard]] std::uint64_t hash() {
    if (!hash_) hash_ = find_hash();
    return *hash_;
  }
  /// MongoDB's own hash (routing/words/query_shape_hash.hpp); empty if it isn't certain.
  [[nodiscard]] const std::string& query_shape_hash() {
    if (!query_shape_hash_) query_shape_hash_ = find_query_shape_hash();
    return *query_shape_hash_;
  }

 protected:
  shape_names() = default;
  ~shape_names() = default;

 private:
  [[nodiscard]] virtual std::uint64_t find_hash() = 0;
  [[nodiscard]] virtual std::string find_query_shape_hash() = 0;

  std::optional<std::uint64_t> hash_;
  std::optional<std::string> query_shape_hash_;
};

/// The part of a message on which a condition depends. It determines how soon the condition can
/// be evaluated, and its cost.
enum class condition_input : std::uint8_t {
  command,         ///< the command's kind
  name_space,      ///< the command's namespace, or another namespace that it touches
  judgement,       ///< the command's verdict
  shape,           ///< a hash of the command's shape
  comment,         ///< the command's comment
  client_name,     ///< application or user
  client_address,  ///< the client's address
};
inline constexpr std::size_t condition_input_count = wire::enum_count<condition_input>();

/// The type of the argument of a condition's matches(), by the condition's input.
template <condition_input What>
struct input_part {
  using type = const sender;
};
template <>
struct input_part<condition_input::command> {
  using type = const routing::command_kind;
};
template <>
struct input_part<condition_input::name_space> {
  using type = const namespace_text;
};
template <>
struct input_part<condition_input::judgement> {
  using type = const routing::verdict;
};
template <>
struct input_part<condition_input::shape> {
  using type = shape_names;
};
template <>
struct input_part<condition_input::comment> {
  using type = const std::string_view;
};

/// The condition `namespace`: a glob that "db.collection" must match. A glob that matches a
/// time series also matches the collection with its buckets (system.buckets).
struct namespace_condition : glob_text<texts::with_a_dot> {
  using glob_text::glob_text;
  static constexpr std::string_view key = "namespace";
  static constexpr condition_input input = condition_input::name_space;
  void read(const map_entry& entry, problem_log& problems);
  [[nodiscard]] bool matches(const namespace_text& of) const noexcept {
    return of.matches(value);
  }
};

/// The condition `command`: the kind of the command, such as find.
struct command_condition : one_value<routing::command_kind> {
  using one_value::one_value;
  static constexpr std::string_view key = "command";
  static constexpr condition_input input = condition_input::command;
  void read(const map_entry& entry, problem_log& problems);
  [[nodiscard]] std::string show() const;
  [[nodiscard]] bool matches(routing::command_kind of) const noexcept { return value == of; }
  /// Why no command can match under `catalog` (null: unknown); empty if some command can.
  [[nodiscard]] std::string why_never(const routing::catalog* catalog) const;
};

/// The condition `routing`: the routing class of the command's verdict, such as scatter_gather.
struct routing_condition : one_value<routing::routing_class> {
  using one_value::one_value;
  static constexpr std::string_view key = "routing";
  static constexpr condition_input input = condition_input::judgement;
  void read(const map_entry& entry, problem_log& problems);
  [[nodiscard]] std::string show() const;
  [[nodiscard]] bool matches(const routing::verdict& of) const noexcept {
    return value == of.routing;
  }
};

/// The condition `missing`: the fields of the shard key that the command's filter lacks,
/// exactly these, in any order.
struct missing_condition : set_of_names {
  using set_of_names::set_of_names;
  static constexpr std::string_view key = "missing";
  static constexpr condition_input input = condition_input::judgement;
  void read(const map_entry& entry, problem_log& problems);
  [[nodiscard]] bool matches(const routing::verdict& of) const noexcept;
};

/// The condition `shape`: scattergate's hash of the command's shape.
struct shape_condition : one_value<std::uint64_t> {
  using one_value::one_value;
  static constexpr std::string_view key = "shape";
  static constexpr condition_input input = condition_input::shape;
  void read(const map_entry& entry, problem_log& problems);
  [[nodiscard]] std::string show() const;
  [[nodiscard]] bool matches(shape_names& of) const { return value == of.hash(); }
};

/// The condition `app`: the client's appName.
struct app_condition : exact_text {
  using exact_text::exact_text;
  static constexpr std::string_view key = "app";
  static constexpr condition_input input = condition_input::client_name;
  [[nodiscard]] bool matches(const sender& from) const noexcept { return value == from.app; }
};

/// The condition `user`: the client's user name. A user who may be any matches every name.
struct user_condition : exact_text {
  using exact_text::exact_text;
  static constexpr std::string_view key = "user";
  static constexpr condition_input input = condition_input::client_name;
  [[nodiscard]] bool matches(const sender& from) const noexcept {
    return from.may_be_any_user || value == from.user;
  }
};

/// The condition `comment`: a glob that the text of the command's `comment` must match.
struct comment_condition : glob_text<texts::any> {
  using glob_text::glob_text;
  static constexpr std::string_view key = "comment";
  static constexpr condition_input input = condition_input::comment;
  [[nodiscard]] bool matches(std::string_view of) const noexcept;
};

/// Compares two networks for any_of: a network covers those inside it.
struct nested_networks {
  static bool covers(const net::network& wide, const net::network& narrow) {
    return wide.contains(narrow);
  }
  static bool meet(const net::network& one, const net::network& other) {
    return one.contains(other) || other.contains(one);
  }
};

/// The condition `remote`: networks, of which one must contain the client's address. A client
/// on a Unix socket is in no network.
struct remote_condition : any_of<net::network, nested_networks> {
  using any_of::any_of;
  static constexpr std::string_view key = "remote";
  static constexpr condition_input input = condition_input::client_address;
  void read(const map_entry& entry, problem_log& problems);
  [[nodiscard]] std::string show() const;
  [[nodiscard]] bool matches(const sender& from) const noexcept;
};

/// A range of numbers of shards: from `least` to `most`, inclusive.
struct fanout_range {
  /// `most` has this value if there is no upper limit.
  static constexpr std::uint32_t any = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t least = 0;
  std::uint32_t most = any;

  /// Whether the range contains this number.
  [[nodiscard]] bool holds(std::size_t shards) const noexcept {
    return least <= shards && shards <= most;
  }
  friend bool operator==(const fanout_range&, const fanout_range&) = default;
};

/// The condition `fanout`: a range that must contain the command's fan-out (the number of
/// shards asked). An unknown fan-out is in no range.
struct fanout_condition : one_value<fanout_range> {
  using one_value::one_value;
  static constexpr std::string_view key = "fanout";
  static constexpr condition_input input = condition_input::judgement;
  void read(const map_entry& entry, problem_log& problems);
  [[nodiscard]] std::string show() const;
  [[nodiscard]] bool covers(const fanout_condition& narrow, glob_budget&) const noexcept;
  [[nodiscard]] bool meets(const fanout_condition& other, glob_budget&) const noexcept;
  [[nodiscard]] bool matches(const routing::verdict& of) const noexcept {
    return of.fanout && value->holds(of.fanout->size());
  }
};

/// The condition `queryShapeHash`: MongoDB's own hashes of shapes, in upper case. The command's
/// hash must be one of them. A hash that isn't certain (routing/words/query_shape_hash.hpp)
/// matches none.
struct query_shape_condition : any_of<std::string> {
  using any_of::any_of;
  static constexpr std::string_view key = "queryShapeHash";
  static constexpr condition_input input = condition_input::shape;
  /// The only kind of command that has a queryShapeHash.
  static constexpr routing::command_kind only_of = routing::command_kind::find;
  void read(const map_entry& entry, problem_log& problems);
  [[nodiscard]] std::string show() const;
  [[nodiscard]] bool matches(shape_names& of) const;
  /// Why no command can match under `catalog` (null: unknown); empty if some command can.
  [[nodiscard]] std::string why_never(const routing::catalog* catalog) const;
};

/// All conditions of a rule. Those that are set must all match; a condition that isn't set
/// matches everything.
struct rule_match {
  namespace_condition name_space{};
  command_condition command{};
  routing_condition routing{};
  missing_condition missing{};
  shape_condition shape{};
  app_condition app{};
  user_condition user{};
  comment_condition comment{};
  remote_condition remote{};
  fanout_condition fanout{};
  query_shape_condition query_shapes{};
  friend bool operator==(const rule_match&, const rule_match&) = default;
};

/// References to all conditions of a rule_match, in the order in which show_match() writes
/// them.
template <typename Match>
[[nodiscard]] constexpr auto conditions_of(Match& of) noexcept {
  return std::tie(of.name_space, of.command, of.routing, of.missing, of.shape, of.app, of.user,
                  of.comment, of.remote, of.fanout, of.query_shapes);
}

/// The interface of a condition.
/// - `key`: the condition's name in `match`
/// - `is_glob`: whether the value is a glob
/// - `read`: sets the condition from an entry's value, or adds a problem
/// - `show`: formats the value as YAML; REQUIRES is_given()
/// - `matches`: evaluates the condition; REQUIRES is_given()
/// - `covers` and `meets`: see condition_kinds.hpp
template <typename Condition>
concept match_condition = std::equality_comparable<Condition> &&
    requires(const Condition& one, Condition& to, const map_entry& entry, problem_log& problems,
             glob_budget& budget, typename input_part<Condition::input>::type& part) {
  { Condition::key } -> std::convertible_to<std::string_view>;
  { Condition::is_glob } -> std::convertible_to<bool>;
  { one.is_given() }
  noexcept->std::same_as<bool>;
  { to.read(entry, problems) } -> std::same_as<void>;
  { one.show() } -> std::same_as<std::string>;
  { one.covers(one, budget) } -> std::same_as<bool>;
  { one.meets(one, budget) } -> std::same_as<bool>;
  { one.matches(part) } -> std::same_as<bool>;
};

namespace completeness {
using listed = decltype(conditions_of(std::declval<rule_match&>()));
inline constexpr std::size_t listed_count = std::tuple_size_v<listed>;

template <typename>
inline constexpr bool are_conditions = false;
template <match_condition... Conditions>
inline constexpr bool are_conditions<std::tuple<Conditions&...>> = true;
static_assert(are_conditions<listed>, "a condition lacks something");

struct anything {
  template <typename Member>
  operator Member() const;
};
template <std::size_t... Index>
constexpr bool has_members(std::index_sequence<Index...>) {
  return requires {
    rule_match{(static_cast<void>(Index), anything{})...};
  };
}
static_assert(has_members(std::make_index_sequence<listed_count>{}) &&
                  !has_members(std::make_index_sequence<listed_count + 1>{}),
              "a member of rule_match isn't in conditions_of()");
}  // namespace completeness

/// Parses a condition on the number of shards, such as ">=4", "<2" or "3"; std::nullopt if
/// malformed or never true.
[[nodiscard]] std::optional<fanout_range> parse_fanout(std::string_view text) noexcept;
/// Formats a range as parse_fanout() reads it. REQUIRES: parse_fanout() returned the range.
[[nodiscard]] std::string show_fanout(const fanout_range& range);

/// Parses a queryShapeHash, 64 hex digits, as MongoDB prints it; std::nullopt if malformed.
[[nodiscard]] std::optional<std::string> parse_query_shape(std::string_view text);

}  // namespace scattergate::config
