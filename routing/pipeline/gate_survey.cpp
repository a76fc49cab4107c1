#include "routing/pipeline/gate_survey.hpp"

#include "routing/bounds/field_reference.hpp"
#include "routing/bounds/match_operator.hpp"
#include "routing/bounds/operator_document.hpp"
#include "routing/pipeline/key_comparison.hpp"
#include "wire/metered_reader.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

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

}  // namespace

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

}  // namespace scattergate::routing
