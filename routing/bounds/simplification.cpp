#include "routing/bounds/simplification.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>

#include "routing/bounds/filter_parts.hpp"
#include "routing/bounds/match_draft.hpp"
#include "routing/bounds/match_operator.hpp"
#include "routing/bounds/value_bounds.hpp"
#include "routing/keys/key_encoding.hpp"
#include "routing/scratch.hpp"
#include "wire/limits.hpp"
#include "wire/work_budget.hpp"

/// Boolean algebra over at most 64 predicates, numbered 0 to 63. Simplifies filters as mongos
/// does (mongo: query/boolean_simplification/bitset_tree.cpp and bitset_algebra.cpp at
/// 1c287af).

namespace scattergate::routing {
namespace {

/// A conjunction of predicates or their negations. Bit i of `mask`: predicate i is part of the
/// conjunction. Bit i of `values`: predicate i is not negated. `values` has no bit that `mask`
/// lacks.
struct boolean_term {
  std::uint64_t mask = 0;
  std::uint64_t values = 0;

  /// The number of predicates.
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(std::popcount(mask));
  }
  /// Whether the two terms can't both be true.
  [[nodiscard]] bool contradicts(const boolean_term& other) const noexcept {
    return ((values ^ other.values) & mask & other.mask) != 0;
  }
  /// Whether this term is true whenever `other` is, so that `other` is redundant in a
  /// disjunction.
  [[nodiscard]] bool absorbs(const boolean_term& other) const noexcept {
    return (mask & other.mask) == mask && ((values ^ other.values) & mask) == 0;
  }
};

/// A node of a boolean expression: the conjunction of its leaves and child nodes, or their
/// disjunction. The children are a linked list.
struct boolean_node {
  bool conjoins = true;     ///< true: a conjunction; false: a disjunction
  bool is_negated = false;  ///< whether the result is negated
  boolean_term leaves;      ///< the predicates directly in this node, each possibly negated
  boolean_node* first = nullptr;  ///< the first child
  boolean_node* last = nullptr;   ///< the last child
  boolean_node* next = nullptr;   ///< the next sibling

  /// Appends a child.
  void add(boolean_node& child) noexcept {
    (last != nullptr ? last->next : first) = &child;
    last = &child;
  }
};

/// A disjunction of at most `limit` terms, allocated in the scratch memory. Thread-safety: as
/// for the scratch memory.
class boolean_terms {
 public:
  /// The maximum number of terms (mongo: internalQueryMaximumNumberOfMinterms...).
  static constexpr std::size_t limit = 64;

  /// Sets this object to the disjunctive normal form of `tree`: a disjunction of conjunctions.
  /// Returns false if a step needs more than `limit` terms, or if the scratch memory is
  /// exhausted. Also returns false if the tree is nested deeper than
  /// wire::limits::inspect_depth.
  [[nodiscard]] bool read(const boolean_node& tree, scratch& memory) noexcept;

  /// The terms; a view of scratch memory. The next change of this object also changes them.
  [[nodiscard]] std::span<const boolean_term> all() const noexcept {
    return terms_.first(count_);
  }

  /// Removes the terms that another term absorbs. Sorts the remaining terms by size.
  void remove_redundant() noexcept;

  /// Whether two terms differ only in the sign of one predicate, so that mongos merges them.
  [[nodiscard]] bool has_mergeable() const noexcept;

  /// Merges all such terms, and keeps the smallest set of terms that means the same (mongo:
  /// boolean_simplification/quine_mccluskey.cpp, petrick.cpp). `predicates`: the number of
  /// predicates in the filter. False, without an effect, if it isn't certain which terms mongos
  /// keeps, or the scratch memory is exhausted.
  [[nodiscard]] bool merge(std::size_t predicates, scratch& memory) noexcept;

  /// Removes the predicates that all terms contain with the same sign, and returns them. If
  /// this leaves a term without predicates (always true), only that term remains. REQUIRES:
  /// there is a term.
  [[nodiscard]] boolean_term take_common() noexcept;

  /// The size of the simplified filter, as mongos computes it: the number of nodes and
  /// predicates.
  [[nodiscard]] std::size_t expression_size() const noexcept;

 private:
  [[nodiscard]] bool read(const boolean_node& tree, bool is_negated, scratch& memory,
                          std::uint32_t depth) noexcept;
  [[nodiscard]] bool conjoin(const boolean_terms& other, scratch& memory) noexcept;
  [[nodiscard]] bool disjoin(const boolean_terms& other) noexcept;

  std::span<boolean_term> terms_;
  std::size_t count_ = 0;
};

bool boolean_terms::read(const boolean_node& tree, scratch& memory) noexcept {
  return read(tree, false, memory, 0);
}

bool boolean_terms::read(const boolean_node& tree, bool is_negated, scratch& memory,
                         std::uint32_t depth) noexcept {
  is_negated ^= tree.is_negated;
  terms_ = memory.allocate<boolean_term>(limit);
  count_ = 0;
  if (terms_.empty() || depth > wire::limits::inspect_depth) return false;
  const bool conjoins = tree.conjoins != is_negated;
  const boolean_term& leaves = tree.leaves;
  const std::uint64_t values = is_negated ? ~leaves.values & leaves.mask : leaves.values;
  if (conjoins) {
    terms_[count_++] = {leaves.mask, values};
  } else {
    for (std::uint64_t left = leaves.mask; left != 0; left &= left - 1) {
      const std::uint64_t bit = left & (~left + 1);
      terms_[count_++] = {bit, values & bit};
    }
  }
  for (const boolean_node* child = tree.first; child != nullptr; child = child->next) {
    const std::size_t mark = memory.mark();
    boolean_terms inner;
    if (!inner.read(*child, is_negated, memory, depth + 1)) return false;
    if (!(conjoins ? conjoin(inner, memory) : disjoin(inner))) return false;
    memory.rewind(mark);
  }
  return true;
}

bool boolean_terms::conjoin(const boolean_terms& other, scratch& memory) noexcept {
  if (count_ * other.count_ > limit) return false;
  memory.work().charge(4 * (1 + count_ * other.count_));
  std::array<boolean_term, limit> products;
  std::size_t size = 0;
  for (const boolean_term& left : all()) {
    for (const boolean_term& right : other.all()) {
      if (left.contradicts(right)) continue;
      products[size++] = {left.mask | right.mask, left.values | right.values};
    }
  }
  std::copy_n(products.begin(), size, terms_.begin());
  count_ = size;
  return true;
}

bool boolean_terms::disjoin(const boolean_terms& other) noexcept {
  if (count_ + other.count_ > limit) return false;
  std::ranges::copy(other.all(), terms_.begin() + static_cast<std::ptrdiff_t>(count_));
  count_ += other.count_;
  return true;
}

void boolean_terms::remove_redundant() noexcept {
  const auto terms = terms_.first(count_);
  std::ranges::sort(terms, {}, [](const boolean_term& one) {
    return std::tuple{one.size(), one.mask, one.values};
  });
  std::size_t kept = 0;
  for (const boolean_term& one : terms) {
    const auto absorbs = [&one](const boolean_term& other) { return other.absorbs(one); };
    if (std::ranges::none_of(terms.first(kept), absorbs)) terms[kept++] = one;
  }
  count_ = kept;
}

bool boolean_terms::has_mergeable() const noexcept {
  const auto terms = all();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (const boolean_term& other : terms.subspan(i + 1)) {
      if (other.mask == terms[i].mask && std::has_single_bit(other.values ^ terms[i].values)) {
        return true;
      }
    }
  }
  return false;
}

/// Merges terms that differ only in the sign of one predicate, in rounds, until none is left.
/// The result is the list of prime implicants: the terms that were merged with no other.
class term_merger {
 public:
  static constexpr std::size_t limit = boolean_terms::limit;
  /// The maximum number of prime implicants of which all subsets are compared.
  static constexpr std::size_t most_compared = 10;

  explicit term_merger(wire::work_budget& work) noexcept : work_(work) {}

  /// Reads the terms. False if there are too many.
  bool read(std::span<const boolean_term> terms) noexcept {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      round_[i] = {terms[i], std::uint64_t{1} << i};
      all_ |= round_[i].covered;
    }
    round_size_ = terms.size();
    while (round_size_ != 0) {
      if (work_.is_low() || !finish_round()) return false;
    }
    return primes_size_ <= most_compared;
  }

  /// Writes the terms that mongos keeps. The number of terms; 0 if it isn't certain.
  std::size_t choose(std::size_t predicates, std::span<boolean_term> to) noexcept {
    std::size_t covers = 0;
    std::size_t least = 0;
    std::uint64_t chosen = 0;
    bool is_tie = false;
    const std::uint64_t end = std::uint64_t{1} << primes_size_;
    work_.charge(static_cast<std::size_t>(end) * primes_size_);
    for (std::uint64_t subset = 1; subset < end; ++subset) {
      if (!covers_minimally(subset)) continue;
      const std::size_t cost = cost_of(subset, predicates);
      is_tie = covers != 0 && (cost == least || (is_tie && cost > least));
      if (covers++ == 0 || cost < least) {
        least = cost;
        chosen = subset;
      }
    }
    if (is_tie) return 0;
    if (covers < 2) chosen = end - 1;  // mongos then keeps all
    std::size_t kept = 0;
    for (std::size_t i = 0; i < primes_size_; ++i) {
      if ((chosen >> i & 1) != 0) to[kept++] = primes_[i].term;
    }
    return kept;
  }

 private:
  struct implicant {
    boolean_term term;
    std::uint64_t covered = 0;  ///< bit i: it is true whenever the i-th term read is true
  };

  bool finish_round() noexcept {
    std::array<implicant, limit> next{};
    std::size_t next_size = 0;
    std::uint64_t merged = 0;
    work_.charge(round_size_ * round_size_);
    for (std::size_t i = 0; i < round_size_; ++i) {
      for (std::size_t j = i + 1; j < round_size_; ++j) {
        const boolean_term& a = round_[i].term;
        const boolean_term& b = round_[j].term;
        const std::uint64_t sign = a.values ^ b.values;
        if (a.mask != b.mask || !std::has_single_bit(sign)) continue;
        merged |= std::uint64_t{1} << i | std::uint64_t{1} << j;
        const implicant made{{a.mask & ~sign, a.values & ~sign},
                             round_[i].covered | round_[j].covered};
        if (is_listed(made, next, next_size)) continue;
        if (next_size == limit) return false;
        next[next_size++] = made;
      }
    }
    for (std::size_t i = 0; i < round_size_; ++i) {
      if ((merged >> i & 1) != 0 || is_listed(round_[i], primes_, primes_size_)) continue;
      if (primes_size_ == limit) return false;
      primes_[primes_size_++] = round_[i];
    }
    round_ = next;
    round_size_ = next_size;
    return true;
  }

  static bool is_listed(const implicant& one, const std::array<implicant, limit>& list,
                        std::size_t size) noexcept {
    return std::any_of(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(size),
                       [&one](const implicant& other) {
                         return other.term.mask == one.term.mask &&
                                other.term.values == one.term.values;
                       });
  }

  [[nodiscard]] std::uint64_t covered_by(std::uint64_t subset) const noexcept {
    std::uint64_t covered = 0;
    for (std::size_t i = 0; i < primes_size_; ++i) {
      if ((subset >> i & 1) != 0) covered |= primes_[i].covered;
    }
    return covered;
  }

  /// Whether the subset covers all terms, and would not without any of its members.
  [[nodiscard]] bool covers_minimally(std::uint64_t subset) const noexcept {
    if (covered_by(subset) != all_) return false;
    for (std::uint64_t left = subset; left != 0; left &= left - 1) {
      if (covered_by(subset & ~(left & (~left + 1))) == all_) return false;
    }
    return true;
  }

  /// mongo: quine_mccluskey.cpp, getCoverageCost.
  [[nodiscard]] std::size_t cost_of(std::uint64_t subset,
                                    std::size_t predicates) const noexcept {
    std::size_t cost = static_cast<std::size_t>(std::popcount(subset)) * predicates;
    for (std::size_t i = 0; i < primes_size_; ++i) {
      if ((subset >> i & 1) != 0) cost += primes_[i].term.size();
    }
    return cost;
  }

  std::array<implicant, limit> round_{};
  std::size_t round_size_ = 0;
  std::array<implicant, limit> primes_{};
  std::size_t primes_size_ = 0;
  std::uint64_t all_ = 0;
  wire::work_budget& work_;
};

bool boolean_terms::merge(std::size_t predicates, scratch& memory) noexcept {
  const auto room = memory.allocate<term_merger>(1);
  if (room.empty()) return false;
  term_merger& merger = *std::construct_at(room.data(), memory.work());
  if (!merger.read(all())) return false;
  const std::size_t kept = merger.choose(predicates, terms_);
  if (kept == 0) return false;
  count_ = kept;
  return std::ranges::none_of(all(), [](const boolean_term& one) { return one.mask == 0; });
}

boolean_term boolean_terms::take_common() noexcept {
  std::uint64_t holding = ~std::uint64_t{0};
  std::uint64_t denied = ~std::uint64_t{0};
  for (const boolean_term& one : all()) {
    holding &= one.values;
    denied &= one.mask ^ one.values;
  }
  const std::uint64_t common = holding | denied;
  bool is_true = false;
  for (boolean_term& one : terms_.first(count_)) {
    one = {one.mask & ~common, one.values & ~common};
    is_true |= one.mask == 0;
  }
  if (is_true) {
    terms_[0] = {};
    count_ = 1;
  }
  return {common, holding};
}

std::size_t boolean_terms::expression_size() const noexcept {
  if (count_ == 1) return 1 + terms_[0].size();
  std::size_t size = 1;
  std::uint64_t alone = 0;
  for (const boolean_term& one : all()) {
    if (one.size() == 1) {
      alone |= one.mask;
    } else {
      size += 1 + one.size();
    }
  }
  return size + static_cast<std::size_t>(std::popcount(alone));
}

using wire::document_view;
using wire::element;

constexpr std::size_t most_predicates = boolean_terms::limit;
/// The cost of one node, and of comparing two predicates, in units of wire::work_budget.
constexpr std::size_t simplified_node_units = 30;
constexpr std::size_t compare_units = 4;

/// Whether a predicate needs a special index. A filter may have only one of these.
bool is_special(match_kind kind) noexcept {
  return kind == match_kind::geo || kind == match_kind::near || kind == match_kind::text;
}

/// Whether both are certainly the same comparison, to which mongos rewrites an $expr.
bool is_same_comparison(const rewritten_expression& left,
                        const rewritten_expression& right) noexcept {
  return left.is == rewritten_expression::kind::comparison && left.is == right.is &&
         left.op == right.op && left.is_hash == right.is_hash &&
         same_value(left.value, right.value);
}

/// Whether both are certainly the same list, which mongos made of the branches of an $or: their
/// values are equal and in the same order.
bool is_same_list(const match_draft& left, const match_draft& right) noexcept {
  if (left.count == 0 || left.count != right.count) return false;
  const match_draft* b = right.first;
  for (const match_draft* a = left.first; a != nullptr; a = a->next, b = b->next) {
    if (a->kind != b->kind || !same_value(operand_of(a->source), operand_of(b->source))) {
      return false;
    }
  }
  return true;
}

/// How two lists compare as mongos compares them: as sets (mongo: matcher/expression_leaf.cpp,
/// InMatchExpression::equivalent).
enum class list_order : std::uint8_t { same, different, unknown };

/// The members of a list, which is written as $in or as $or.
class list_members {
 public:
  static constexpr std::size_t limit = 64;

  /// Reads the list. False if its members, as mongos compares them, aren't known.
  bool read(const match_draft& list, bool simple_collation, scratch& memory) noexcept {
    if (list.count != 0) {
      for (const match_draft* one = list.first; one != nullptr; one = one->next) {
        if (!is_listable(one->kind)) return false;
        if (!add(operand_of(one->source), simple_collation, memory)) return false;
      }
    } else {
      wire::metered_reader members{list.source.as_array().value_or(wire::document_view{}),
                                   memory.work()};
      for (element one; members.next(one);) {
        if (!add(one, simple_collation, memory)) return false;
      }
    }
    memory.work().charge(compare_units * size_);
    const auto used = std::span{values_}.first(size_);
    std::ranges::sort(used, [](const value& a, const value& b) {
      return compare_encoded(a.encoded, b.encoded) < 0;
    });
    const auto same = [](const value& a, const value& b) {
      return compare_encoded(a.encoded, b.encoded) == 0;
    };
    size_ -= std::ranges::unique(used, same).size();
    return true;
  }

  [[nodiscard]] list_order compare(const list_members& other) const noexcept {
    if (size_ != other.size_) return list_order::different;
    bool are_types_equal = true;
    for (std::size_t i = 0; i < size_; ++i) {
      if (compare_encoded(values_[i].encoded, other.values_[i].encoded) != 0) {
        return list_order::different;
      }
      are_types_equal &= values_[i].type == other.values_[i].type;
    }
    const bool is_certain = are_types_equal && !has_regex_ && !other.has_regex_;
    return is_certain ? list_order::same : list_order::unknown;
  }

 private:
  struct value {
    bytes_view encoded;
    wire::bson_type type{};
  };

  bool add(const element& one, bool simple_collation, scratch& memory) noexcept {
    has_regex_ |= one.type() == wire::bson_type::regex;
    const bool is_known = simple_collation || !is_collatable(one.type());
    if (!is_known || size_ == limit) return false;
    values_[size_] = {encode(one, memory), one.type()};
    return !values_[size_++].encoded.empty();
  }

  std::array<value, limit> values_{};
  std::size_t size_ = 0;
  bool has_regex_ = false;  ///< mongos compares regular expressions in their order
};

list_order compare_lists(const match_draft& a, const match_draft& b, bool simple_collation,
                         scratch& memory) noexcept {
  const std::size_t mark = memory.mark();
  list_members left;
  list_members right;
  const bool is_known =
      left.read(a, simple_collation, memory) && right.read(b, simple_collation, memory);
  const list_order found = is_known ? left.compare(right) : list_order::unknown;
  memory.rewind(mark);
  return found;
}

/// Whether two values, of which one is a number, are the same number.
bool is_same_number(const element& left, const element& right, scratch& memory) noexcept {
  if (!left.is_number() || !right.is_number()) return false;
  const std::size_t mark = memory.mark();
  const bytes_view a = encode(left, memory);
  const bytes_view b = encode(right, memory);
  const bool is_same = !a.empty() && !b.empty() && compare_encoded(a, b) == 0;
  memory.rewind(mark);
  return is_same;
}

/// Whether the predicate compares a field with one value.
bool is_comparison(match_kind kind) noexcept {
  return kind == match_kind::eq || kind == match_kind::lt || kind == match_kind::lte ||
         kind == match_kind::gt || kind == match_kind::gte;
}

/// Whether both are certainly the same predicate.
bool is_same(const match_draft& a, const match_draft& b, bool simple_collation,
             scratch& memory) noexcept {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.path != b.path) return false;
  if (a.kind == match_kind::exists) return true;
  if (a.rewritten != nullptr || b.rewritten != nullptr) {
    return a.rewritten != nullptr && b.rewritten != nullptr &&
           is_same_comparison(*a.rewritten, *b.rewritten);
  }
  const bool is_list = a.kind == match_kind::in;
  if (is_list) {
    return is_same_list(a, b) ||
           (a.count == 0 && b.count == 0 && same_value(a.source, b.source)) ||
           compare_lists(a, b, simple_collation, memory) == list_order::same;
  }
  if (is_comparison(a.kind) &&
      is_same_number(operand_of(a.source), operand_of(b.source), memory)) {
    return true;
  }
  const bool has_same_field = a.kind == match_kind::bits || a.kind == match_kind::geo;
  if (has_same_field && a.source.key() != b.source.key()) return false;
  // A $regex may have options in a field of its own, so equal patterns don't suffice.
  const bool has_value = a.source.value().data() != nullptr && a.source.key() != "$regex";
  const bool is_equality = a.kind == match_kind::eq;
  return has_value && (is_equality ? same_value(operand_of(a.source), operand_of(b.source))
                                   : same_value(a.source, b.source));
}

bool is_text(const element& value) noexcept {
  return value.is_string() || value.type() == wire::bson_type::symbol;
}

/// Whether mongos may consider the values equal although their bytes differ.
bool may_equal(const element& left, const element& right, bool simple_collation,
               scratch& memory) noexcept {
  const bool are_numbers = left.is_number() && right.is_number();
  const bool are_texts = is_text(left) && is_text(right);
  if (left.type() != right.type() && !are_numbers && !are_texts) return false;
  if (!simple_collation && is_collatable(left.type())) return true;
  const std::size_t mark = memory.mark();
  const bytes_view a = encode(left, memory);
  const bytes_view b = encode(right, memory);
  const bool are_equal = a.empty() || b.empty() || compare_encoded(a, b) == 0;
  memory.rewind(mark);
  return are_equal;
}

/// Whether two values of one simple type differ.
bool are_unlike(const element& left, const element& right) noexcept {
  const bool is_simple = left.type() == wire::bson_type::int32 || left.is_string();
  return is_simple && left.type() == right.type() && !same_value(left, right);
}

/// Whether two $mod have other operands of the same types.
bool are_unlike_pairs(const element& left, const element& right,
                      wire::work_budget& work) noexcept {
  wire::metered_reader a{left.as_array().value_or(document_view{}), work};
  wire::metered_reader b{right.as_array().value_or(document_view{}), work};
  element one;
  element other;
  bool differs = false;
  while (a.next(one) && b.next(other)) differs |= are_unlike(one, other);
  return differs;
}

/// The pattern of a regular expression, without its options; empty if unknown.
std::string_view pattern_of(const element& source) noexcept {
  const element with = operand_of(source);
  if (with.is_string()) return with.as_string();
  const auto regex = regex_of(with);
  return regex ? regex->pattern : std::string_view{};
}

/// Whether both may be the same predicate.
bool may_be_same(const match_draft& a, const match_draft& b, bool simple_collation,
                 scratch& memory) noexcept {
  if (a.kind != b.kind || a.path != b.path) return false;
  switch (a.kind) {
    case match_kind::in:
      if (a.rewritten != nullptr || b.rewritten != nullptr) return true;
      return compare_lists(a, b, simple_collation, memory) != list_order::different;
    case match_kind::regex:
      return pattern_of(a.source).empty() || pattern_of(b.source).empty() ||
             pattern_of(a.source) == pattern_of(b.source);
    case match_kind::bits:
      return a.source.key() == b.source.key() && !are_unlike(a.source, b.source);
    case match_kind::size:
    case match_kind::type:
      return !are_unlike(a.source, b.source);
    case match_kind::mod:
      return !are_unlike_pairs(a.source, b.source, memory.work());
    case match_kind::eq:
    case match_kind::lt:
    case match_kind::lte:
    case match_kind::gt:
    case match_kind::gte:
    case match_kind::internal_eq:
    case match_kind::internal_gt:
    case match_kind::internal_gte:
    case match_kind::internal_lt:
    case match_kind::internal_lte:
      return may_equal(operand_of(a.source), operand_of(b.source), simple_collation, memory);
    case match_kind::elem_match_object:
    case match_kind::elem_match_value:
      return a.source.value().size() == b.source.value().size();
    default:
      return true;
  }
}

/// Simplifies a filter's tree, and compares the size of the result with the original's. It runs
/// once for a lower bound of what mongos knows (is_strict_: only certainly equal predicates are
/// equal), and, if that may differ, once more with all predicates equal that may be.
class simplifying {
 public:
  simplifying(bool simple_collation, scratch& memory) noexcept
      : simple_collation_(simple_collation), memory_(memory), work_(memory.work()) {}

  planned_form planned(const match_draft& root) noexcept {
    const boolean_form found = form(root);
    return {.form = found,
            .may_merge = may_merge_,
            .may_be_simplified = may_be_simplified_ && has_double_negation_,
            .is_certain = !may_be_simplified_,
            .has_double_negation = has_double_negation_};
  }

  /// The tree that mongos plans; null if it isn't certain, or if the scratch memory is
  /// exhausted.
  match_draft* plan(match_draft& root, bool may_not_simplify) noexcept {
    builds_ = true;
    if (root.is_false()) return &root;
    const boolean_form certain = read(root);
    match_draft* const made = made_;
    if (may_be_less_) {
      is_strict_ = false;
      const boolean_form loose = read(root);
      if (certain != boolean_form::original || loose != certain) return nullptr;
    }
    if (work_.is_low() || may_merge_) return nullptr;
    if (certain == boolean_form::original) return &root;
    return may_not_simplify ? nullptr : made;
  }

 private:
  enum class conflict : std::uint8_t { none, always_true, always_false };

  boolean_form form(const match_draft& root) noexcept {
    if (root.is_false()) return boolean_form::nothing;
    const boolean_form certain = read(root);
    if (certain == boolean_form::nothing || !may_be_less_) return certain;
    is_strict_ = false;
    const boolean_form loose = read(root);
    may_be_simplified_ = loose == boolean_form::simplified && certain != loose;
    return loose == boolean_form::nothing ? boolean_form::unknown : certain;
  }

  boolean_form read(const match_draft& root) noexcept {
    leaf_count_ = 0;
    special_ = 0;
    size_ = 0;
    conflict_ = conflict::none;
    aborted_ = false;
    boolean_node tree;
    visit(root, tree, false, true);
    if (aborted_ || work_.is_low()) return boolean_form::original;
    if (conflict_ == conflict::always_false) {
      made_ = opened(match_kind::always_false);
      return boolean_form::nothing;
    }
    if (conflict_ == conflict::always_true) {
      made_ = opened(match_kind::all);
      return boolean_form::simplified;
    }
    if (tree.first == nullptr) return flat(tree);
    const std::size_t mark = memory_.mark();
    const boolean_form found = normal(tree);
    if (!builds_) memory_.rewind(mark);
    return found;
  }

  /// The form of a filter that is a list of predicates.
  boolean_form flat(const boolean_node& tree) noexcept {
    if (size_ <= 1 + tree.leaves.size()) return boolean_form::original;
    const std::uint64_t values =
        tree.is_negated ? ~tree.leaves.values & tree.leaves.mask : tree.leaves.values;
    const bool conjoins = tree.conjoins != tree.is_negated;
    made_ = unwrapped(with_leaves({tree.leaves.mask, values},
                                  opened(conjoins ? match_kind::all : match_kind::any)));
    return boolean_form::simplified;
  }

  /// The form that follows from the disjunctive normal form (mongo: simplifyBitsetTree,
  /// handleRootedAndCase).
  boolean_form normal(const boolean_node& tree) noexcept {
    boolean_terms terms;
    if (!terms.read(tree, memory_)) return boolean_form::original;
    work_.charge(compare_units * terms.all().size() * terms.all().size());
    terms.remove_redundant();
    if (terms.all().empty()) {
      made_ = opened(match_kind::always_false);
      return boolean_form::nothing;
    }
    if (terms.has_mergeable() && !(builds_ && terms.merge(leaf_count_, memory_))) {
      may_merge_ = true;
      return boolean_form::original;
    }
    if (repeats_special(terms)) return boolean_form::original;
    std::size_t size = 0;
    boolean_term common;
    if (tree.conjoins) common = terms.take_common();
    const bool is_true = terms.all().size() == 1 && terms.all().front().mask == 0;
    const bool has_rest = common.mask == 0 || !is_true;
    if (common.mask != 0) size = 1 + common.size();
    if (has_rest) size += terms.expression_size();
    if (size_ <= size) return boolean_form::original;
    if (common.mask == 0) {
      made_ = disjunction_of(terms);
    } else {
      made_ = with_leaves(common, opened(match_kind::all));
      if (has_rest) add(made_, disjunction_of(terms));
      made_ = unwrapped(made_);
    }
    return boolean_form::simplified;
  }

  // Building the simplified tree. Functions take and return null if the scratch memory is
  // exhausted, or if no tree is needed.

  match_draft* opened(match_kind kind) noexcept {
    const auto room = builds_ ? memory_.allocate<match_draft>(1) : std::span<match_draft>{};
    if (room.empty()) return nullptr;
    room[0] = match_draft{kind};
    return room.data();
  }

  static void add(match_draft*& to, match_draft* child) noexcept {
    if (to != nullptr && child != nullptr) to->add(child);
    if (child == nullptr) to = nullptr;
  }

  static match_draft* unwrapped(match_draft* node) noexcept {
    return node != nullptr && node->is_wrapper() ? node->first : node;
  }

  match_draft* predicate(std::size_t number, bool is_negated) noexcept {
    match_draft* made = opened(match_kind::all);
    if (made == nullptr) return nullptr;
    *made = *leaves_[number];
    made->next = nullptr;
    if (!is_negated) return made;
    match_draft* negation = opened(match_kind::not_);
    add(negation, made);
    return negation;
  }

  match_draft* with_leaves(const boolean_term& term, match_draft* to) noexcept {
    for (std::size_t i = 0; i < leaf_count_ && to != nullptr; ++i) {
      const std::uint64_t bit = std::uint64_t{1} << i;
      if ((term.mask & bit) != 0) add(to, predicate(i, (term.values & bit) == 0));
    }
    return to;
  }

  match_draft* disjunction_of(const boolean_terms& terms) noexcept {
    match_draft* made = opened(match_kind::any);
    boolean_term alone;
    for (const boolean_term& one : terms.all()) {
      if (one.size() != 1) continue;
      alone.mask |= one.mask;
      alone.values |= one.values;
    }
    made = with_leaves(alone, made);
    for (const boolean_term& one : terms.all()) {
      if (one.size() != 1) add(made, unwrapped(with_leaves(one, opened(match_kind::all))));
    }
    return unwrapped(made);
  }

  /// Whether terms have more than one predicate with a special index, which mongos doesn't
  /// accept.
  [[nodiscard]] bool repeats_special(const boolean_terms& terms) const noexcept {
    std::size_t found = 0;
    for (const boolean_term& one : terms.all()) {
      found += static_cast<std::size_t>(std::popcount(one.mask & special_));
    }
    return found > 1;
  }

  void visit(const match_draft& node, boolean_node& parent, bool is_negated,
             bool is_root) noexcept {
    work_.charge(simplified_node_units);
    if (aborted_ || !depth_.enter()) {
      aborted_ = true;
      return;
    }
    switch (node.kind) {
      case match_kind::all:
        visit_children(node, parent, true, is_negated, is_root);
        break;
      case match_kind::any:
        visit_children(node, parent, false, is_negated, is_root);
        break;
      case match_kind::nor:
        ++negations_;
        visit_children(node, parent, false, !is_negated, is_root);
        --negations_;
        break;
      case match_kind::not_:
        ++negations_;
        visit(*node.first, parent, !is_negated, false);
        --negations_;
        break;
      case match_kind::always_false:
        ++size_;
        conflict_ = is_negated ? conflict::always_true : conflict::always_false;
        break;
      case match_kind::always_true:
        ++size_;
        conflict_ = is_negated ? conflict::always_false : conflict::always_true;
        break;
      case match_kind::other:
        // mongos never simplifies a filter with a $jsonSchema. For others it isn't known.
        if (node.rewritten == nullptr) note_unknown(node);
        [[fallthrough]];
      default:
        add_leaf(node, parent, is_negated);
    }
    depth_.leave();
  }

  void note_unknown(const match_draft& node) noexcept {
    const bool is_schema = node.source.key() == "$jsonSchema";
    aborted_ |= is_schema || is_strict_;
    may_be_less_ |= !is_schema;
  }

  void visit_children(const match_draft& node, boolean_node& parent, bool conjoins,
                      bool is_negated, bool is_root) noexcept {
    ++size_;
    const auto room = memory_.allocate<boolean_node>(1);
    if (room.empty()) {
      aborted_ = true;
      return;
    }
    boolean_node& made = room[0];
    made = boolean_node{};
    made.conjoins = conjoins;
    made.is_negated = is_negated;
    for (const match_draft* child = node.first; child != nullptr; child = child->next) {
      visit(*child, made, false, false);
      if (aborted_) return;
      if (conflict_ == conflict::none) continue;
      const bool decides = (conflict_ == conflict::always_false) == conjoins;
      may_merge_ |= !builds_ && conflict_ == conflict::always_true;
      if (!decides) {
        conflict_ = conflict::none;
        continue;
      }
      conflict_ = conjoins != is_negated ? conflict::always_false : conflict::always_true;
      return;
    }
    if (is_root) {
      parent = made;
    } else {
      parent.add(made);
    }
  }

  /// Adds a predicate to `parent`. If `parent` already has its negation, sets conflict_.
  void add_leaf(const match_draft& one, boolean_node& parent, bool is_negated) noexcept {
    ++size_;
    has_double_negation_ |=
        negations_ > 1 && (one.kind == match_kind::in || is_listable(one.kind));
    const std::size_t number = number_of(one);
    // mongo: Context::isAborted.
    aborted_ |= leaf_count_ >= most_predicates;
    if (aborted_) return;
    const std::uint64_t bit = std::uint64_t{1} << number;
    if (is_special(one.kind)) special_ |= bit;
    const bool is_known = (parent.leaves.mask & bit) != 0;
    if (is_known && ((parent.leaves.values & bit) != 0) == is_negated) {
      conflict_ = parent.conjoins ? conflict::always_false : conflict::always_true;
      return;
    }
    parent.leaves.mask |= bit;
    if (!is_negated) parent.leaves.values |= bit;
  }

  /// The number of a predicate; equal predicates have the same number.
  std::size_t number_of(const match_draft& one) noexcept {
    work_.charge(compare_units * (1 + leaf_count_));
    for (std::size_t i = 0; i < leaf_count_; ++i) {
      if (is_same(*leaves_[i], one, simple_collation_, memory_)) return i;
      if (!may_be_same(*leaves_[i], one, simple_collation_, memory_)) continue;
      may_be_less_ = true;
      if (!is_strict_) return i;
    }
    if (leaf_count_ < most_predicates) leaves_[leaf_count_++] = &one;
    return leaf_count_ - 1;
  }

  std::array<const match_draft*, most_predicates> leaves_{};
  std::size_t leaf_count_ = 0;
  std::uint64_t special_ = 0;
  std::size_t size_ = 0;
  std::size_t negations_ = 0;  ///< the number of negations around the current node
  bool has_double_negation_ = false;
  bool may_be_simplified_ = false;
  conflict conflict_ = conflict::none;
  bool aborted_ = false;
  bool is_strict_ = true;
  bool may_be_less_ = false;  ///< some predicates may be equal, or constant, without certainty
  bool may_merge_ = false;
  bool builds_ = false;          ///< the simplified tree is needed, in made_
  match_draft* made_ = nullptr;  ///< the simplified tree of the last read()
  bool simple_collation_;
  scratch& memory_;
  wire::work_budget& work_;
  wire::depth_guard depth_;
};

/// Whether a tree has a part of which mongos may know more than this code.
bool has_doubt(const match_draft& node) noexcept {
  if (node.kind == match_kind::other && node.rewritten == nullptr) return true;
  if (node.rewritten != nullptr && node.rewritten->is == rewritten_expression::kind::varying) {
    return true;
  }
  for (const match_draft* child = node.first; child != nullptr; child = child->next) {
    if (has_doubt(*child)) return true;
  }
  return false;
}

}  // namespace

const match_draft* plan_of(const conjunct* conjuncts, const outline_rules& rules,
                           bool simple_collation, bool may_not_simplify,
                           scratch& memory) noexcept {
  const drafted_tree drafted = draft_of(conjuncts, rules, memory);
  const bool is_certain =
      drafted.root != nullptr && !drafted.has_doubt && !has_doubt(*drafted.root);
  if (!is_certain) return nullptr;
  return simplifying{simple_collation, memory}.plan(*drafted.root, may_not_simplify);
}

planned_form form_of(const conjunct* conjuncts, const outline_rules& rules,
                     bool simple_collation, scratch& memory) noexcept {
  const std::size_t mark = memory.mark();
  const drafted_tree drafted = draft_of(conjuncts, rules, memory);
  planned_form found;
  if (drafted.root != nullptr) {
    found = simplifying{simple_collation, memory}.planned(*drafted.root);
  }
  memory.rewind(mark);
  found.may_be_simplified |= drafted.has_doubt;
  return found;
}

}  // namespace scattergate::routing
