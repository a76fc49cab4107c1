#include "routing/pipeline/bucket_filter.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "routing/bounds/filter_parts.hpp"
#include "routing/bounds/match_operator.hpp"
#include "routing/pipeline/bson_block.hpp"
#include "wire/endian.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

namespace {

using wire::bson_type;
using wire::document_view;
using wire::element;

constexpr std::int64_t milliseconds = 1'000;

/// The greatest time that fits in an ObjectId, in milliseconds. For times outside 0 to this,
/// mongos's behaviour depends on whether the collection ever contained one of them (mongo:
/// handleExtendedDateRanges).
constexpr std::int64_t greatest_time =
    std::int64_t{std::numeric_limits<std::uint32_t>::max()} * milliseconds;

/// The cost of writing one predicate, in units of wire::work_budget.
constexpr std::size_t bucket_predicate_units = 20;

/// The BSON bytes of a date.
class date_bytes {
 public:
  explicit date_bytes(std::int64_t at) noexcept { wire::store_little(bytes_.data(), at); }
  [[nodiscard]] element value() const noexcept { return {{}, bson_type::date, bytes_}; }

 private:
  std::array<std::byte, sizeof(std::int64_t)> bytes_{};
};

/// The operand of $alwaysFalse.
constexpr std::array<std::byte, 4> one_bytes{std::byte{1}};

std::optional<std::int64_t> date_of(const element& value) noexcept {
  if (value.type() != bson_type::date) return std::nullopt;
  return wire::load_little<std::int64_t>(value.value().data());
}

/// The rest of `path` after its first component `root`: empty, or beginning with a dot.
/// std::nullopt if `path` doesn't begin with `root`.
std::optional<std::string_view> rest_behind(std::string_view root,
                                            std::string_view path) noexcept {
  if (root.empty() || !path.starts_with(root)) return std::nullopt;
  path.remove_prefix(root.size());
  if (path.empty() || path.front() == '.') return path;
  return std::nullopt;
}

/// Whether mongos translates the operator on the meta field at any position.
bool is_plain_operator(field_operator op) noexcept {
  switch (op) {
    case field_operator::eq:
    case field_operator::gt:
    case field_operator::gte:
    case field_operator::lt:
    case field_operator::lte:
    case field_operator::in:
      return true;
    default:
      return false;
  }
}

/// Translates the predicates of a filter on measurements into predicates on buckets.
class bucket_writer {
 public:
  bucket_writer(const bucket_filter_rules& rules, bson_block& to, bool with_unions,
                scratch& memory) noexcept
      : by_(rules), to_(to), with_unions_(with_unions), memory_(memory), work_(memory.work()) {}

  /// Whether mongos may have a union that wasn't written, and take bounds from it instead of a
  /// written one (mongo: query/plan_enumerator.cpp, enumerateOneIndex: only one of several
  /// unions gives bounds).
  [[nodiscard]] bool may_choose_omitted_union() const noexcept {
    return omits_union_ && writes_union_;
  }

  /// Adds the translated parts of a conjunction to the `$and` that is open. `whole`: the
  /// conjunction applies to the whole filter, not to a branch of an $or.
  void conjunction(document_view filter, bool whole) noexcept {
    if (!depth_.enter()) return;
    wire::metered_reader reader{filter, work_};
    for (element part; reader.next(part);) add(part, whole);
    depth_.leave();
  }

 private:
  void add(const element& part, bool whole) noexcept {
    work_.charge(bucket_predicate_units);
    if (part.key() == "$and") return all_of(part, whole);
    if (part.key() == "$or") return any_of(part, whole);
    // mongos may simplify the negation of a conjunction to a union.
    if (part.key() == "$nor") omits_union_ |= names_bucket_field(part);
    if (part.key().starts_with('$')) return;
    if (const auto rest = rest_behind(by_.series.meta_field, part.key())) {
      if (is_taken_over(part, whole)) on_meta(*rest, part);
    } else if (by_.with_time && part.key() == by_.series.time_field) {
      on_time(part, whole);
    }
  }

  void all_of(const element& list, bool whole) noexcept {
    wire::metered_reader reader{list.as_array().value_or(document_view{}), work_};
    for (element branch; reader.next(branch);) {
      if (const auto inner = branch.as_document()) conjunction(*inner, whole);
    }
  }

  /// Adds an $or. If a branch has no condition that can be translated, it matches every bucket,
  /// and so does the $or, which is then omitted.
  void any_of(const element& list, bool whole) noexcept {
    const auto branches = list.as_array().value_or(document_view{});
    if (!by_.is_planned && !is_all_of_one(branches)) return;
    if (only_member(branches, work_)) return all_of(list, whole);
    if (!with_unions_) return;
    const std::size_t before = to_.size_bytes();
    const std::size_t member = to_.open(bson_type::document, "0");
    const std::size_t any = to_.open(bson_type::array, "$or");
    bool is_bounded = true;
    wire::metered_reader reader{branches, work_};
    for (element branch; is_bounded && reader.next(branch);) is_bounded = one_of(branch);
    to_.close(any);
    to_.close(member);
    writes_union_ |= is_bounded;
    if (is_bounded) return;
    to_.take_back(before);
    omits_union_ |= may_be_bounded(branches);
  }

  /// Whether each branch has a condition on the meta field or the time. Otherwise the $or can't
  /// give bounds.
  bool may_be_bounded(document_view branches) noexcept {
    bool may_be = true;
    wire::metered_reader reader{branches, work_};
    for (element branch; may_be && reader.next(branch);) {
      topics found;
      if (const auto filter = branch.as_document()) note_topics(*filter, found);
      may_be = found.meta || found.time;
    }
    return may_be;
  }

  /// Whether a branch of the list has a condition on the meta field or the time.
  bool names_bucket_field(const element& list) noexcept {
    topics found;
    note_branches(list.as_array().value_or(document_view{}), found);
    return found.meta || found.time;
  }

  /// The kinds of fields that a filter names.
  struct topics {
    bool meta = false;
    bool time = false;
    bool other = false;
  };

  /// Whether all conditions of the branches are on the meta field, or all on the time (mongo:
  /// matcher/expression_algo.cpp, splitMatchExpressionBy, which doesn't split an $or).
  bool is_all_of_one(document_view branches) noexcept {
    topics found;
    note_branches(branches, found);
    return !found.other && !(found.meta && found.time);
  }

  void note_branches(document_view branches, topics& found) noexcept {
    wire::metered_reader reader{branches, work_};
    for (element branch; reader.next(branch);) {
      const auto filter = branch.as_document();
      found.other |= !filter;
      if (filter) note_topics(*filter, found);
    }
  }

  void note_topics(document_view filter, topics& found) noexcept {
    if (!depth_.enter()) {
      found.other = true;
      return;
    }
    wire::metered_reader reader{filter, work_};
    for (element part; reader.next(part);) {
      const bool is_list = part.key() == "$and" || part.key() == "$or" || part.key() == "$nor";
      if (is_list) {
        note_branches(part.as_array().value_or(document_view{}), found);
      } else if (rest_behind(by_.series.meta_field, part.key())) {
        found.meta = true;
      } else if (part.key() == by_.series.time_field) {
        found.time = true;
      } else {
        found.other = true;
      }
    }
    depth_.leave();
  }

  bool one_of(const element& branch) noexcept {
    const auto filter = branch.as_document();
    if (!filter) return false;
    const std::size_t member = to_.open(bson_type::document, "0");
    const std::size_t all = to_.open(bson_type::array, "$and");
    const std::size_t empty = to_.size_bytes();
    conjunction(*filter, false);
    const bool is_bounded = to_.size_bytes() != empty;
    to_.close(all);
    to_.close(member);
    return is_bounded;
  }

  bool is_taken_over(const element& part, bool whole) noexcept {
    if (!is_operator_document(part)) return true;
    wire::metered_reader reader{*part.as_document(), work_};
    for (element one; reader.next(one);) {
      const field_operator op = field_operator_of(one.key());
      if (op == field_operator::elem_match || (!whole && !is_followed(op))) return false;
    }
    return true;
  }

  /// Whether a condition on the meta field in an $or is translated.
  [[nodiscard]] bool is_followed(field_operator op) const noexcept {
    return is_plain_operator(op) && (op != field_operator::in || by_.with_lists_in_or);
  }

  void on_meta(std::string_view rest, const element& part) noexcept {
    if (rest.empty() && !by_.with_whole_meta) return;
    constexpr std::string_view meta = "meta";
    const auto name = memory_.allocate<char>(meta.size() + rest.size());
    if (name.empty()) return;  // omitting a condition makes bounds wider
    std::ranges::copy(rest, std::ranges::copy(meta, name.begin()).out);
    const std::size_t member = to_.open(bson_type::document, "0");
    to_.add({name.data(), name.size()}, part);
    to_.close(member);
  }

  void on_time(const element& part, bool whole) noexcept {
    if (!is_operator_document(part)) return at_time(field_operator::eq, part);
    wire::metered_reader reader{*part.as_document(), work_};
    for (element one; reader.next(one);) {
      const field_operator op = field_operator_of(one.key());
      const auto list = op == field_operator::in ? one.as_array() : std::nullopt;
      if (whole && list && list->is_empty()) nothing();
      // mongos translates a list of times to a union (mongo: bucket_spec.cpp,
      // createPredicatesOnBucketLevelField at 1c287af4e8f1).
      omits_union_ |= list && !list->is_empty();
      at_time(op, one);
    }
  }

  /// Adds a condition that nothing matches: mongos translates an empty list of times to an
  /// `$or` without branches.
  void nothing() noexcept {
    const std::size_t member = to_.open(bson_type::document, "0");
    to_.add("$alwaysFalse", {{}, bson_type::int32, one_bytes});
    to_.close(member);
  }

  /// Adds a condition on the time. A bucket that contains a measurement at time t has a minimum
  /// time between t minus the bucket's maximum span, and t.
  void at_time(field_operator op, const element& operand) noexcept {
    const auto at = date_of(operand);
    if (!at || *at < 0 || *at > greatest_time) return;
    const std::int64_t earliest = *at - by_.series.max_span_seconds * milliseconds;
    if (op == field_operator::eq) {
      least_time("$gte", earliest);
      least_time("$lte", *at);
    } else if (op == field_operator::gt || op == field_operator::gte) {
      least_time(operand.key(), earliest);
    } else if (op == field_operator::lt || op == field_operator::lte) {
      least_time(operand.key(), *at);
    }
  }

  /// Adds a condition on the buckets' minimum time, as an expression, because mongos's own
  /// predicate ($_internalExprGte) compares values of all types.
  void least_time(std::string_view op, std::int64_t at) noexcept {
    const std::size_t member = to_.open(bson_type::document, "0");
    const std::size_t expression = to_.open(bson_type::document, "$expr");
    const std::size_t operands = to_.open(bson_type::array, op);
    to_.add_text("0", "$control.min.", by_.series.time_field);
    to_.add("1", date_bytes{at}.value());
    to_.close(operands);
    to_.close(expression);
    to_.close(member);
  }

  const bucket_filter_rules& by_;
  bson_block& to_;
  bool with_unions_;
  bool omits_union_ = false;
  bool writes_union_ = false;
  scratch& memory_;
  wire::work_budget& work_;
  wire::depth_guard depth_;
};

}  // namespace

std::optional<document_view> bucket_filter(document_view filter,
                                           const bucket_filter_rules& rules,
                                           scratch& memory) noexcept {
  std::size_t bytes = 0;
  const auto made = field_written(memory, [&](bson_block& block) {
    const std::size_t root = block.open(bson_type::document, "");
    const std::size_t all = block.open(bson_type::array, "$and");
    const std::size_t empty = block.size_bytes();
    bucket_writer writer{rules, block, true, memory};
    writer.conjunction(filter, true);
    if (writer.may_choose_omitted_union()) {
      block.take_back(empty);
      bucket_writer{rules, block, false, memory}.conjunction(filter, true);
    }
    bytes = block.size_bytes() - empty;
    block.close(all);
    block.close(root);
  });
  if (!made) return std::nullopt;
  return bytes == 0 ? document_view{} : made->as_document();
}

bucket_start bucket_start_of(document_view measurement, const time_series& series,
                             scratch& memory) noexcept {
  bucket_start made;
  const auto time = wire::find_field(measurement, series.time_field, memory.work());
  const auto at = time ? date_of(*time) : std::nullopt;
  made.has_time = at.has_value();
  if (!at) return made;
  const std::int64_t seconds = *at / milliseconds;  // towards 1970, as mongos does
  const std::int64_t start = (seconds - seconds % series.rounding_seconds) * milliseconds;
  const auto meta = series.meta_field.empty()
                        ? std::nullopt
                        : wire::find_field(measurement, series.meta_field, memory.work());
  const auto bucket = field_written(memory, [&](bson_block& block) {
    const std::size_t root = block.open(bson_type::document, "");
    const std::size_t control = block.open(bson_type::document, "control");
    const std::size_t least = block.open(bson_type::document, "min");
    block.add(series.time_field, date_bytes{start}.value());
    block.close(least);
    block.close(control);
    if (meta) block.add("meta", *meta);
    block.close(root);
  });
  if (bucket) made.document = bucket->as_document();
  return made;
}

namespace {

/// The context of an element.
struct place {
  bool is_field = false;      ///< mongos treats its name as that of a field
  bool is_member = false;     ///< it is in a list
  bool is_of_filter = false;  ///< it is part of the filter itself, not of a value in the filter
};

bool combines_filters(std::string_view name) noexcept {
  return name == "$and" || name == "$or" || name == "$nor";
}

class name_reader {
 public:
  name_reader(std::string_view meta_field, wire::work_budget& work) noexcept
      : meta_field_(meta_field), work_(work) {}

  [[nodiscard]] meta_names found() const noexcept { return found_; }

  void fields_of(document_view inside, place of_each) noexcept {
    if (!depth_.enter()) return;  // mongos doesn't read anything nested so deeply
    wire::metered_reader reader{inside, work_};
    for (element one; found_ != meta_names::others && reader.next(one);) read(one, of_each);
    depth_.leave();
  }

 private:
  void read(const element& one, place at) noexcept {
    const std::string_view name = one.key();
    if (name == "$expr" || name == "$where") return refuse_unless(false);
    if (name == "$jsonSchema") return read_schema(one);
    if (at.is_field && !name.starts_with('$')) {
      refuse_unless(name.substr(0, name.find('.')) == meta_field_);
      if (!at.is_of_filter && found_ == meta_names::only) found_ = meta_names::in_values;
    }
    const auto inside = one.as_container();
    if (!inside) return;
    const bool is_filter = at.is_member && one.is_document();
    const bool stays_filter = at.is_of_filter && (is_filter || combines_filters(name));
    fields_of(*inside, {is_filter, one.is_array(), stays_filter});
  }

  /// Reads a $jsonSchema: {required: [field, ...], properties: {field: ..., ...}}.
  void read_schema(const element& schema) noexcept {
    const auto inside = schema.as_container().value_or(document_view{});
    for (const bool are_names : {false, true}) {
      const auto list = wire::find_field(inside, are_names ? "properties" : "required", work_);
      wire::metered_reader reader{
          list ? list->as_container().value_or(document_view{}) : document_view{}, work_};
      for (element one; reader.next(one);) {
        refuse_unless((are_names ? one.key() : one.as_string()) == meta_field_);
      }
    }
  }

  void refuse_unless(bool is_meta_field) noexcept {
    if (!is_meta_field) found_ = meta_names::others;
  }

  std::string_view meta_field_;
  wire::work_budget& work_;
  wire::depth_guard depth_;
  meta_names found_ = meta_names::only;
};

}  // namespace

meta_names meta_names_in(document_view filter, std::string_view meta_field,
                         wire::work_budget& work) noexcept {
  name_reader reader{meta_field, work};
  reader.fields_of(filter, {true, false, true});
  return reader.found();
}

}  // namespace scattergate::routing
