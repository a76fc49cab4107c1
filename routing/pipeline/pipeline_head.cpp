#include "routing/pipeline/pipeline_head.hpp"

#include <array>
#include <utility>

#include "routing/bounds/filter_parts.hpp"
#include "routing/bounds/match_operator.hpp"
#include "routing/bounds/stage_reader.hpp"
#include "routing/pipeline/match_split.hpp"
#include "routing/pipeline/path_history.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {
namespace {

/// Whether mongos moves a $match with this filter into the pipeline of a preceding $lookup. The
/// stage between both is `unwind`, a $unwind of the $lookup's result. True if each condition
/// moves before the two stages, or is on the joined documents and doesn't look into arrays
/// (mongo: document_source_lookup.cpp, doOptimizeAt). `found`: the stages of the $lookup's own
/// pipeline; path_history::nest_below() must have been called with the $lookup's `as`, then
/// prepare().
[[nodiscard]] bool is_absorbed(wire::document_view filter, const wire::element& unwind,
                               const path_history& found, scratch& memory) noexcept;

using wire::document_view;
using wire::element;

/// Decides whether each condition of a $match moves before the two stages (`before`) or into
/// the $lookup's pipeline (`found`).
class absorption {
 public:
  absorption(const path_history& before, const path_history& found, scratch& memory) noexcept
      : before_(before, {}, memory), found_(found, {}, memory), memory_(memory) {}

  [[nodiscard]] bool takes(document_view filter, std::uint32_t depth) noexcept {
    if (depth >= wire::limits::inspect_depth) return false;
    wire::metered_reader reader{filter, memory_.work()};
    for (element part; reader.next(part);) {
      if (!takes_part(part, depth)) return false;
    }
    return true;
  }

 private:
  /// Each member of an $and or a $nor moves separately.
  [[nodiscard]] bool takes_part(const element& part, std::uint32_t depth) noexcept {
    const bool is_split = part.is_array() && (part.key() == "$and" || part.key() == "$nor");
    if (!is_split) return before_.is_free(part) || found_.is_free(part);
    wire::metered_reader branches{part.as_array().value_or(document_view{}), memory_.work()};
    for (element branch; branches.next(branch);) {
      const auto inner = branch.as_document();
      const bool taken = part.key() == "$and"
                             ? inner && takes(*inner, depth + 1)
                             : before_.is_free_branch(branch) || found_.is_free_branch(branch);
      if (!taken) return false;
    }
    return true;
  }

  match_split before_;
  match_split found_;
  scratch& memory_;
};

bool is_absorbed(document_view filter, const element& unwind, const path_history& found,
                 scratch& memory) noexcept {
  path_history before;
  if (!before.pass(unwind, memory)) return false;
  before.prepare(memory);
  return absorption{before, found, memory}.takes(filter, 0);
}

/// Whether an $expr consists only of comparisons of a field with constants other than null,
/// including $in, combined by $and, $or and $not. mongos moves a $match with an $expr past a
/// $group only in this case (mongo: pipeline/optimization/match_rules.cpp,
/// ExpressionGroupSwapValidator). False if in doubt.
[[nodiscard]] bool is_key_comparison(const wire::element& expression,
                                     wire::work_budget& work) noexcept;

bool is_field(const element& operand) noexcept {
  return operand.is_string() && operand.as_string().starts_with('$');
}

/// Whether the operand is a constant. Doesn't evaluate constant expressions, as mongos does, so
/// it may be false for a constant.
bool is_constant(const element& operand) noexcept {
  using wire::bson_type;
  const bson_type type = operand.type();
  return !is_field(operand) && !operand.as_container() && type != bson_type::null &&
         type != bson_type::undefined;
}

bool are_constants(const element& list, wire::work_budget& work) noexcept {
  const auto members = list.as_array();
  if (!members) return false;
  wire::metered_reader reader{*members, work};
  for (element member; reader.next(member);) {
    if (!is_constant(member)) return false;
  }
  return true;
}

bool compares(const element& operation, wire::work_budget& work) noexcept {
  std::array<element, 2> operands;
  element extra;
  wire::metered_reader reader{operation.as_array().value_or(document_view{}), work};
  if (!reader.next(operands[0]) || !reader.next(operands[1]) || reader.next(extra))
    return false;
  const auto& [left, right] = operands;
  if (operation.key() == "$in") return is_field(left) && are_constants(right, work);
  return (is_field(left) && is_constant(right)) || (is_constant(left) && is_field(right));
}

bool is_comparison(std::string_view name) noexcept {
  for (const std::string_view each : {"$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in"}) {
    if (name == each) return true;
  }
  return false;
}

bool joins(std::string_view name) noexcept {
  return name == "$and" || name == "$or" || name == "$not";
}

bool is_comparison_within(const element& expression, wire::work_budget& work,
                          std::uint32_t depth) noexcept {
  const auto call = expression.as_document();
  if (!call || depth >= wire::limits::inspect_depth) return false;
  wire::metered_reader reader{*call, work};
  element operation;
  element extra;
  if (!reader.next(operation) || reader.next(extra)) return false;
  if (is_comparison(operation.key())) return compares(operation, work);
  if (!joins(operation.key())) return false;
  if (operation.as_document()) return is_comparison_within(operation, work, depth + 1);
  wire::metered_reader operands{operation.as_array().value_or(document_view{}), work};
  for (element each; operands.next(each);) {
    if (!is_comparison_within(each, work, depth + 1)) return false;
  }
  return true;
}

bool is_key_comparison(const element& expression, wire::work_budget& work) noexcept {
  return is_comparison_within(expression, work, 0);
}

/// Examines a $match after stages that are gates. A gate is a stage where one condition of a
/// $match may prevent other conditions from moving before the stage. A $group blocks all
/// conditions if one tests whether the group's key exists (mongo: document_source.cpp,
/// groupMatchSwapVerified). A $project of parts of a document blocks conditions on these parts
/// if another condition reads the whole document.
///
/// For each gate in `passed`, determines which conditions of the $match end up directly after
/// the gate. The gate remembers them, because mongos merges the next $match with them. Call
/// this before match_split examines the $match. Returns true if some patch levels of the
/// version may let the $match pass a gate that blocks it here. REQUIRES: passed.prepare() was
/// called.
bool survey_gates(wire::document_view filter, const path_history& passed,
                  server_version version, scratch& memory) noexcept;

/// Determines which parts of one $match come to stand directly after one gate.
class gate_survey {
 public:
  gate_survey(past_stage& gate, const path_history& passed, server_version version,
              scratch& memory) noexcept
      : gate_(gate),
        passed_(passed),
        version_(version),
        memory_(memory),
        behind_(passed, leaf_rules_of(version), memory, &gate),
        is_near_(passed.is_last(gate)) {}

  /// Examines the parts of a filter, which move separately.
  void take(document_view filter, std::uint32_t depth = 0) noexcept {
    wire::metered_reader reader{filter, memory_.work()};
    for (element part; reader.next(part);) {
      const bool is_split = part.is_array() && (part.key() == "$and" || part.key() == "$nor");
      if (!is_split || depth >= wire::limits::inspect_depth) {
        if (comes(part)) note(part, depth);
        continue;
      }
      wire::metered_reader branches{part.as_array().value_or(document_view{}), memory_.work()};
      for (element branch; branches.next(branch);) {
        const auto inner = branch.as_document();
        if (inner && part.key() == "$and") take(*inner, depth + 1);
        if (inner && part.key() == "$nor" && (is_near_ || behind_.is_free_branch(branch))) {
          note_all(*inner, depth + 1);
        }
      }
    }
  }

  /// Whether the version's patch level determines if the $match moves past the gate.
  [[nodiscard]] bool may_pass() const noexcept { return may_pass_; }

 private:
  /// Whether a part of a filter comes to stand directly after the gate. A condition on a field
  /// does if one of its operators may.
  [[nodiscard]] bool comes(const element& part) noexcept {
    if (is_near_ || !part.key().starts_with('$')) return true;
    return behind_.is_free(part);
  }

  void note_all(document_view filter, std::uint32_t depth) noexcept {
    wire::metered_reader reader{filter, memory_.work()};
    for (element part; reader.next(part);) note(part, depth);
  }

  void note(const element& part, std::uint32_t depth) noexcept {
    if (depth >= wire::limits::inspect_depth) return gate_.close();
    if (part.key() == "$expr") return note_expression(part, depth);
    if (part.key().starts_with('$')) {
      wire::metered_reader branches{part.as_array().value_or(document_view{}), memory_.work()};
      for (element branch; branches.next(branch);) {
        if (const auto inner = branch.as_document()) note_all(*inner, depth + 1);
      }
      return;
    }
    const std::size_t mark = memory_.mark();
    const auto path = passed_.origin_of(part.key(), memory_, &gate_);
    if (path && asks_for_existence(*path, part, depth)) gate_.close();
    if (!path || !gate_.note_read(*path, memory_.work())) memory_.rewind(mark);
  }

  /// Whether a condition tests whether the key of a $group exists. Versions after 4.4 also
  /// consider $type, and all paths of the key. The test doesn't matter if the key has several
  /// values.
  [[nodiscard]] bool asks_for_existence(std::string_view path, const element& condition,
                                        std::uint32_t depth) noexcept {
    if (!gate_.is_group() || !is_operator_document(condition)) return false;
    const bool is_key = path == "_id" || (is_later() && path.starts_with("_id."));
    wire::metered_reader reader{condition.as_document().value_or(document_view{}),
                                memory_.work()};
    for (element predicate; reader.next(predicate);) {
      if (asks(predicate, is_key, path, depth)) return true;
    }
    return false;
  }

  [[nodiscard]] bool asks(const element& predicate, bool is_key, std::string_view path,
                          std::uint32_t depth) noexcept {
    switch (field_operator_of(predicate.key())) {
      case field_operator::exists:
        return is_key && !(is_later() && gate_.has_several_keys(memory_.work()));
      case field_operator::type:
        return is_key && is_later();
      case field_operator::not_:
        return depth < wire::limits::inspect_depth &&
               asks_for_existence(path, predicate, depth + 1);
      case field_operator::elem_match:  // mongos compares the paths within it without the path
                                        // of the $elemMatch
        if (!is_operator_document(predicate)) {
          note_all(predicate.as_document().value_or(document_view{}), depth + 1);
        }
        return false;
      default:
        return false;
    }
  }

  /// Reads an $expr. 9.0 doesn't move a $match past a $group if its $expr does more with the
  /// group's key than compare it. Versions since 5.0 may do the same; this depends on the patch
  /// level.
  void note_expression(const element& expression, std::uint32_t depth) noexcept {
    if (gate_.is_group() && is_later() && reads_key(expression, depth) &&
        !is_key_comparison(expression, memory_.work())) {
      may_pass_ |= version_ < server_version{9, 0};
      return gate_.close();
    }
    note_read_by(expression, depth);
  }

  /// Whether an expression reads the key of a $group; true if in doubt.
  [[nodiscard]] bool reads_key(const element& expression, std::uint32_t depth) noexcept {
    if (depth >= wire::limits::inspect_depth) return true;
    if (const auto path = field_reference(expression.as_string())) {
      const std::size_t mark = memory_.mark();
      const auto name = passed_.origin_of(*path, memory_, &gate_);
      const bool is_key = !name || *name == "_id" || name->starts_with("_id.");
      memory_.rewind(mark);
      return is_key;
    }
    if (expression.as_string().starts_with("$$")) return true;
    wire::metered_reader reader{expression.as_container().value_or(document_view{}),
                                memory_.work()};
    for (element member; reader.next(member);) {
      if (reads_key(member, depth + 1)) return true;
    }
    return false;
  }

  void note_read_by(const element& expression, std::uint32_t depth) noexcept {
    if (depth >= wire::limits::inspect_depth) return gate_.close();
    const auto path = field_reference(expression.as_string());
    if (path) {
      const std::size_t mark = memory_.mark();
      const auto name = passed_.origin_of(*path, memory_, &gate_);
      if (!name || !gate_.note_read(*name, memory_.work())) memory_.rewind(mark);
      return;
    }
    wire::metered_reader reader{expression.as_container().value_or(document_view{}),
                                memory_.work()};
    for (element member; reader.next(member);) note_read_by(member, depth + 1);
  }

  [[nodiscard]] bool is_later() const noexcept { return !moves_as_4_4(version_); }

  past_stage& gate_;
  const path_history& passed_;
  const server_version version_;
  scratch& memory_;
  match_split behind_;
  const bool is_near_;
  bool may_pass_ = false;
};

bool survey_gates(document_view filter, const path_history& passed, server_version version,
                  scratch& memory) noexcept {
  bool may_pass = false;
  for (past_stage* gate = passed.gate_before(nullptr); gate != nullptr;
       gate = passed.gate_before(gate)) {
    gate_survey survey{*gate, passed, version, memory};
    survey.take(filter);
    may_pass |= survey.may_pass();
  }
  return may_pass;
}

}  // namespace

// One pass over the stages. mongos moves a $match forward past stages that don't change its
// fields, and merges it with a $match at the front. pipeline_head doesn't move stages: it
// remembers the stages passed (history_), and computes for each $match which of its conditions
// get to the front, and the names of their fields there.
//
// Invariants:
//   - walk_ has only conditions that mongos certainly has at the head. A condition that mongos
//     may leave behind isn't added, which makes bounds wider.
//   - history_ has every stage that a later $match must move past, until front_ is `closed`.
//     From then on no $match gets to the front.
//   - A filter that stays behind is still checked for faults.
//
// Example: a collection sharded by {a: 1}.
//
//   stage                     history_          added to walk_
//   {$sort: {x: 1}}                             (every condition moves past a $sort)
//   {$match: {c: 1}}                            c: 1
//   {$addFields: {n: 1}}      $addFields
//   {$match: {a: 5, n: 1}}                      a: 5 (n is computed, so n: 1 stays)
//   {$project: {b: "$a"}}     ..., $project
//   {$match: {b: {$lt: 9}}}                     a: {$lt: 9} (b was a)
//   {$limit: 10}              front_: closed
//   {$match: {a: 7}}                            (stays after the $limit)

namespace {

/// Reads the next member of the pipeline; false if there is none or it isn't a stage.
bool next_stage(wire::metered_reader& reader, element& stage) noexcept {
  element member;
  return reader.next(member) && read_stage(member, stage);
}

/// The first version that was seen to remove a $replaceRoot by "$$ROOT".
constexpr server_version removes_same_root{8, 2};

/// Whether a $match that is never true certainly stays behind the stage, which selects
/// documents or has several pipelines. It may pass other stages that let no conditions pass,
/// such as a $count, which is a $group.
bool stops_constants(const stage_row& stage) noexcept {
  return stage.passes == stage_pass::never &&
         (stage.keeps_documents || stage.other == stage_collections::facet);
}

/// Whether mongos asks all shards if it knows that conditions contradict each other, even if
/// one of them leads to one shard.
bool asks_all_for_nothing(server_version version) noexcept {
  return version >= server_version{8, 0} && version < server_version{8, 2};
}

/// Whether the stage changes nothing, so that mongos removes it once it has moved every $match:
/// a $skip of 0 documents, or a $replaceRoot by the document itself (mongo:
/// DocumentSourceSkip::optimize, ReplaceRootTransformation::isNoop).
bool does_nothing(const element& stage, server_version version,
                  wire::work_budget& work) noexcept {
  const std::string_view name = stage.key();
  if (name == skip_stage) return stage.is_number() && !stage.is_truthy();
  if (version < removes_same_root) return false;
  std::optional<element> root;
  if (name == replace_with_stage) root = stage;
  const auto options = name == replace_root_stage ? stage.as_document() : std::nullopt;
  if (options) root = wire::find_field(*options, "newRoot", work);
  return root && (root->as_string() == "$$ROOT" || root->as_string() == "$$CURRENT");
}

/// Whether a stage is a $unwind of `path` without options: it drops documents without members,
/// and adds no index.
bool unwinds_only(const element& stage, std::string_view path,
                  wire::work_budget& work) noexcept {
  if (stage_of(stage.key()).passes != stage_pass::unwinds || path.empty()) return false;
  std::string_view unwound = stage.as_string();
  if (const auto options = stage.as_document()) {
    const auto named = wire::find_field(*options, "path", work);
    const auto kept = wire::find_field(*options, "preserveNullAndEmptyArrays", work);
    if ((kept && kept->is_truthy()) || wire::find_field(*options, "includeArrayIndex", work)) {
      return false;
    }
    unwound = named ? named->as_string() : std::string_view{};
  }
  return unwound.starts_with('$') && unwound.substr(1) == path;
}

}  // namespace

bool pipeline_head::pass(const element& stage) noexcept {
  const bool is_first = is_first_;
  is_first_ = false;
  const bool is_needless =
      front_ == front::nothing && does_nothing(stage, walk_.rules().version, memory_.work());
  if (is_needless) return true;
  const stage_row& row = stage_of(stage.key());
  if (row.passes == stage_pass::matches) {
    history_.set_reads_group_key(is_behind_key());
    const bool sound = pass_match(stage);
    history_.set_reads_group_key(false);
    note(row.passes);
    return sound;
  }
  note(row.passes);
  const bool is_near = row.passes == stage_pass::near && is_first;
  const auto near = is_near ? stage.as_container() : std::nullopt;
  const auto query = near ? wire::find_field(*near, "query", memory_.work()) : std::nullopt;
  const bool sound = !query || pass_match(*query);
  pass_other(stage, row);
  return sound;
}

void pipeline_head::note(stage_pass stage) noexcept {
  before_last_ = std::exchange(last_, stage);
}

/// Whether the previous stages are a $group and a $project, so that conditions of a $match here
/// can be followed to a part of the group's key. Examined in 7.1; earlier versions get the
/// wider answer.
bool pipeline_head::is_behind_key() const noexcept {
  return last_ == stage_pass::projects && before_last_ == stage_pass::groups &&
         walk_.rules().version >= server_version{7, 1};
}

void pipeline_head::pass_other(const element& stage, const stage_row& row) noexcept {
  passes_constants_ = passes_constants_ && !stops_constants(row);
  if (front_ == front::closed) return;
  if (row.passes == stage_pass::redacts) {
    // mongos doesn't optimise the stages before a $redact again.
    front_ = front_ == front::nothing ? front::redact : front::closed;
    return;
  }
  if (front_ == front::nothing) front_ = front::open;
  if (row.passes == stage_pass::copies) return;  // every $match moves past it
  is_behind_ = true;
  if (walk_.rules().version < row.passed_since) {
    front_ = front::closed;
  } else if (row.passes != stage_pass::sorts && !history_.pass(stage, memory_)) {
    front_ = front::closed;
  }
}

bool pipeline_head::pass_match(const element& filter) noexcept {
  const auto parts = filter.as_document();
  if (!parts) return true;  // mongos rejects it as a stage, not as a filter
  const bool is_leading = front_ == front::nothing || front_ == front::open;
  return is_leading && !is_behind_ ? lead(*parts) : follow(*parts);
}

bool pipeline_head::lead(document_view filter) noexcept {
  if (!filter.is_empty() || has_empty_) front_ = front::open;
  has_empty_ = true;
  has_filter_ = true;
  return walk_.add(filter);
}

bool pipeline_head::follow(document_view filter) noexcept {
  if (!check_behind(filter)) return false;
  if (front_ == front::closed) return true;
  const bool is_beside_another = std::exchange(has_filter_, true);
  history_.prepare(memory_);
  const bool may_pass = survey_gates(filter, history_, walk_.rules().version, memory_);
  // mongos merges the rest with the next $match, which it then rewrites, too.
  is_rewritten_ = front_ == front::redact && (is_rewritten_ || is_rewritten(filter));
  const bool sound = add_parts(filter, 0);
  // It isn't certain what of this $match stays behind, so it may contradict the other $match.
  if ((may_pass || keeps_sample_) && is_beside_another &&
      asks_all_for_nothing(walk_.rules().version)) {
    walk_.note_may_match_nothing();
  }
  if (front_ == front::redact && is_copied_) front_ = front::closed;
  return sound;
}

void pipeline_head::pass_varying(std::string_view path) noexcept {
  // The value may be null, which a $redact may cause.
  if (front_ == front::closed || front_ == front::redact) return;
  history_.prepare(memory_);
  if (const auto origin = history_.origin_of(path, memory_)) walk_.add_varying(*origin);
}

void pipeline_head::pass_after_lookup(wire::metered_reader rest, std::string_view as) noexcept {
  element stage;
  if (front_ == front::closed || !next_stage(rest, stage) ||
      !unwinds_only(stage, as, memory_.work())) {
    return;
  }
  const element unwind = stage;
  history_.nest_below(as);
  history_.prepare(memory_);
  is_behind_ = true;
  while (next_stage(rest, stage)) {
    const stage_pass does = stage_of(stage.key()).passes;
    if (does == stage_pass::sorts) continue;
    const auto filter = stage.as_document();
    if (does != stage_pass::matches || !filter) return;
    if (!is_absorbed(*filter, unwind, history_, memory_) || !pass_match(stage)) return;
  }
}

/// Checks a filter for faults. mongos parses every filter, whether or not it moves to the head.
bool pipeline_head::check_behind(document_view filter) noexcept {
  const std::size_t mark = memory_.mark();
  filter_walk aside{walk_.target(), walk_.rules(), memory_};
  if (aside.add(filter)) (void)aside.finish();
  // It isn't certain whether a condition that is never true moves past a stage, nor when mongos
  // detects it (mongo: matcher/expression_algo.cpp, splitMatchExpressionBy).
  const bool is_modern = walk_.rules().version >= server_version{8, 0};
  if (is_modern && passes_constants_ && aside.may_match_nothing()) {
    walk_.note_may_match_nothing();
  }
  memory_.rewind(mark);
  const filter_fault fault = aside.fault();
  // Filters that stay behind may be nested deeper than scattergate reads.
  if (fault == filter_fault::none || fault == filter_fault::too_deep) return true;
  fault_behind_ = fault;
  return false;
}

bool pipeline_head::add_parts(document_view filter, std::uint32_t depth) noexcept {
  wire::metered_reader reader{filter, memory_.work()};
  for (element part; reader.next(part);) {
    if (!add_part(part, depth)) return false;
  }
  return true;
}

safe_equality pipeline_head::safe_here() const noexcept {
  if (walk_.rules().version >= server_version{8, 0}) return safe_equality::any;
  return is_rewritten_ ? safe_equality::none : safe_equality::plain;
}

/// Whether mongos rewrites a $match when it moves it: because a part of it stays behind, or a
/// stage renames a field (mongo: document_source_match.cpp, splitSourceBy). It then writes
/// equalities with $eq.
bool pipeline_head::is_rewritten(document_view filter) noexcept {
  if (!is_behind_) return false;
  if (history_.renames(memory_.work())) return true;
  match_split split{history_, leaf_rules_of(walk_.rules().version), memory_};
  wire::metered_reader reader{filter, memory_.work()};
  for (element part; reader.next(part);) {
    if (!split.is_free(part)) return true;
  }
  return false;
}

/// Adds to walk_ what moves to the front of one field of a $match.
bool pipeline_head::add_part(const element& part, std::uint32_t depth) noexcept {
  const bool is_split = part.key() == "$and" && part.is_array();
  if (is_split && depth < wire::limits::inspect_depth) {
    wire::metered_reader branches{part.as_array().value_or(document_view{}), memory_.work()};
    for (element branch; branches.next(branch);) {
      const auto filter = branch.as_document();
      if (filter && !add_parts(*filter, depth + 1)) return false;
    }
    return true;
  }
  std::optional<element> moved = part;
  if (is_behind_) {
    match_split split{history_, leaf_rules_of(walk_.rules().version), memory_};
    moved = split.moved(part);
    keeps_sample_ |= split.keeps_sample();
  }
  if (moved && front_ == front::redact) moved = redact_portion(*moved, safe_here(), memory_);
  is_copied_ |= moved.has_value();
  return !moved || walk_.add(*moved);
}

}  // namespace scattergate::routing
