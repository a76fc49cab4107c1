#include "routing/pattern/pattern.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "wire/bson.hpp"
#include "wire/endian.hpp"
#include "wire/op_msg.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::routing {

using wire::bson_type;

namespace {

template <typename Unit>
bool is_equal_at(std::size_t at, const std::byte* a, const std::byte* b) noexcept {
  return wire::load_little<Unit>(a + at) == wire::load_little<Unit>(b + at);
}

/// Whether `bytes` bytes are equal. The texts between literals are short, so comparing words is
/// faster than calling memcmp(). REQUIRES: `bytes` isn't 0.
[[gnu::always_inline]] inline bool is_equal(const std::byte* a, const std::byte* b,
                                            std::size_t bytes) noexcept {
  using word = std::uint64_t;
  using half = std::uint32_t;
  if (bytes >= sizeof(word)) {
    const std::size_t last = bytes - sizeof(word);
    for (std::size_t at = 0; at < last; at += sizeof(word)) {
      if (!is_equal_at<word>(at, a, b)) return false;
    }
    return is_equal_at<word>(last, a, b);
  }
  if (bytes >= sizeof(half)) {
    return is_equal_at<half>(0, a, b) && is_equal_at<half>(bytes - sizeof(half), a, b);
  }
  return a[0] == b[0] && a[bytes / 2] == b[bytes / 2] && a[bytes - 1] == b[bytes - 1];
}

}  // namespace

// A pattern is a program for one pass over a message. Example: the pattern of
// {find: "c", filter: {sku: "a7"}, $db: "d"}, which also matches {sku: "b12"}:
//
//   same 5     00 00 00 00 00                           the flags; the body's kind
//   enter                                               the body's length
//   same 20    02 "find" 00, 2 "c" 00, 03 "filter" 00   the command; the filter's name
//   enter                                               the filter's length
//   same 5     02 "sku" 00                              the literal's type and name
//   value 2                                             any string
//   same 1     00                                       the end of the filter
//   leave
//   same 12    02 "$db" 00, 2 "d" 00, 00                the database; the end of the body
//   leave
//
// Invariants of matches():
//   - The steps before `at` have matched all bytes before `rest`. No step reads beyond `rest`.
//   - left_behind has, for each open document, the number of bytes after its end. `leave`
//     checks that exactly this number remains, so every length in a matching message is
//     correct.
//   - wire::value_size() has validated the bytes that `value` and `binary` skip.

bool pattern::matches(std::span<const std::byte> message) const noexcept {
  if (size_ == 0 || message.size() > max_patterned_message) return false;
  auto rest = message.subspan(wire::limits::header_bytes);
  std::array<std::size_t, max_depth> left_behind;  // per open document: the number of bytes
                                                   // after its end
  std::size_t depth = 0;
  for (const std::byte* at = steps_.data(); at != steps_.data() + size_;) {
    const auto next = static_cast<step>(*at++);
    if (next == step::leave) {
      if (rest.size() != left_behind[--depth]) return false;
      continue;
    }
    if (next == step::enter) {
      if (rest.size() < sizeof(std::uint32_t)) return false;
      const std::size_t length = wire::load_little<std::uint32_t>(rest.data());
      if (length > rest.size()) return false;
      left_behind[depth++] = rest.size() - length;
      rest = rest.subspan(sizeof(std::uint32_t));
      continue;
    }
    const auto operand = std::to_integer<std::uint8_t>(*at++);
    std::size_t bytes = operand;
    if (next == step::same) {
      if (bytes > rest.size() || !is_equal(at, rest.data(), bytes)) return false;
      at += bytes;
    } else if (next == step::value) {
      bytes = wire::value_size(static_cast<bson_type>(operand), rest);
    } else if (next == step::binary) {
      constexpr std::size_t subtype_at = 4;
      if (rest.size() <= subtype_at || rest[subtype_at] != std::byte{operand}) return false;
      bytes = wire::value_size(bson_type::binary, rest);
    }
    if (bytes > rest.size()) return false;
    rest = rest.subspan(bytes);
  }
  return rest.empty();
}

// write_pattern() writes a pattern while reading its message once.
//
// Invariants: a literal is skipped only if no other value of its type can change the verdict or
// the shape.
//   - The verdict doesn't depend on chunks (is_made_by_form()): either the whole key is pinned,
//     or nothing narrows the fan-out.
//   - A skipped literal must have the original's type, because the shape contains the type, and
//     because only a scalar pins a key field.
//   - A filter names each path once, without dots: two predicates on one path might contradict
//     each other. An update doesn't name a key field.
//   - Everything else is compared byte by byte, except for arguments that routing doesn't read
//     and shapes omit (is_left_out()).
// In all other cases the writer fails. The message then has no pattern, so later ones like it
// are classified from the start, which only costs time.
//
// Example: the key {sku: 1} and the filter of {find: "c", filter: {sku: "a7", n: {$gt: 5}}}.
//
//   sku: "a7"       value 2          pins the key to any string
//   n: {            same             the operator's name must be equal
//     $gt: 5 }      skip 4           any int32: n isn't in the key
//
// With the key {n: 1} there is no pattern: chunks decide which shards a range reaches.

namespace {

using wire::document_view;
using wire::element;

/// The maximum size of values kept as constants, in bytes.
constexpr std::size_t max_constant_bytes = 64;

/// A field's type and name, which precede its value.
std::span<const std::byte> head_of(const element& field) noexcept {
  const std::size_t bytes = field.key().size() + 2;
  return {field.value().data() - bytes, bytes};
}

/// Whether a literal of this type, as the value of a key field, pins that field whatever the
/// value is.
bool is_scalar(bson_type type) noexcept {
  switch (type) {
    case bson_type::float64:
    case bson_type::string:
    case bson_type::binary:
    case bson_type::object_id:
    case bson_type::boolean:
    case bson_type::date:
    case bson_type::null:
    case bson_type::int32:
    case bson_type::timestamp:
    case bson_type::int64:
      return true;
    default:
      return false;
  }
}

/// Whether routing doesn't read a top-level argument, and shapes omit it.
bool is_left_out(std::string_view name) noexcept {
  switch (name.empty() ? '\0' : name.front()) {
    case '$':
      return name != "$db";
    case 'b':
      return name == "batchSize";
    case 'c':
      return name == "comment";
    case 'l':
      return name == "lsid";
    case 'm':
      return name == "maxTimeMS";
    case 'r':
      return name == "readConcern";
    case 't':
      return name == "txnNumber";
    case 'w':
      return name == "writeConcern";
    default:
      return false;
  }
}

bool is_range_operator(std::string_view name) noexcept {
  return name == "$gt" || name == "$gte" || name == "$lt" || name == "$lte" || name == "$ne";
}

/// Whether `name` is the field's name; false if the command has no such field.
bool is_named(std::string_view name, std::string_view field) noexcept {
  return !field.empty() && name == field;
}

/// Whether the verdict doesn't depend on chunks: the whole key is pinned, or nothing narrows
/// the fan-out.
bool is_made_by_form(const verdict& made, const collection* on) noexcept {
  if (made.widened || made.may_touch_more || !made.touches.empty()) return false;
  if (on == nullptr || !on->is_sharded()) {
    return made.routing == routing_class::unsharded && (on == nullptr || !on->is_view());
  }
  if (on->is_time_series) return false;  // its queries name fields of measurements
  // An equality with a document may pin a key field within that document.
  const bool has_deep_key = std::ranges::any_of(
      on->key, [](const key_field& key) { return key.path.find('.') != key.path.npos; });
  return made.judged == on && made.routing != routing_class::unknown && !has_deep_key &&
         (made.bounds == bounds_kind::point || made.bounds == bounds_kind::full);
}

}  // namespace

/// Reads a command once, and writes its pattern.
class pattern_writer {
 public:
  /// `on`: the command's collection; null if the catalog doesn't list it.
  pattern_writer(pattern& to, command_kind kind, const collection* on) noexcept
      : to_(to), facts_(facts_of(kind)), on_(on) {
    to_.size_ = 0;
  }

  void message(const wire::op_msg& message, std::span<const std::byte> bytes) noexcept;

  [[nodiscard]] bool has_failed() const noexcept { return failed_; }

 private:
  using step = pattern::step;

  void body(document_view body) noexcept;
  void argument(const element& field) noexcept;
  void telemetry(std::span<const std::byte> document,
                 std::span<const std::byte>& rest) noexcept;
  void batch(std::span<const std::byte>& rest, const wire::op_msg& message) noexcept;
  void statement(document_view one) noexcept;
  void inserted(document_view document) noexcept;
  void filter(const element& field) noexcept;
  void predicate(const element& field) noexcept;
  void update(const element& field) noexcept;

  [[nodiscard]] bool names_key(std::string_view path) const noexcept {
    return on_ != nullptr && std::ranges::any_of(on_->key, [&](const key_field& key) {
             return key.path == path;
           });
  }

  /// Writes the steps for a document; calls `each` to write those for each field.
  template <typename Each>
  void fields_of(document_view inside, Each each) noexcept {
    put(step::enter);
    wire::document_reader reader{inside};
    for (element field; !failed_ && reader.next(field);) each(field);
    if (reader.is_corrupt()) fail();
    same(inside.bytes().last(1));
    put(step::leave);
  }

  /// Writes a field's type and name.
  void name_of(const element& field) noexcept { same(head_of(field)); }
  /// Writes a field whose value must be equal.
  void constant(const element& field) noexcept;
  /// Writes a field that may have any value of its type.
  void any_value(const element& field) noexcept;
  void literal(const element& field) noexcept;

  void same(std::span<const std::byte> bytes) noexcept;
  void put(step next) noexcept { append(static_cast<std::byte>(next)); }
  void put(step next, std::uint8_t operand) noexcept {
    put(next);
    append(std::byte{operand});
  }
  void append(std::byte one) noexcept {
    if (to_.size_ == to_.steps_.size()) return fail();
    to_.steps_[to_.size_++] = one;
    run_ = 0;
  }
  void fail() noexcept { failed_ = true; }

  pattern& to_;
  const command_facts& facts_;
  const collection* on_;
  std::size_t run_ =
      0;  // if the previous step is `same`, the offset of its number; otherwise 0
  bool failed_ = false;
  bool has_filter_ = false;
};

void pattern_writer::message(const wire::op_msg& message,
                             std::span<const std::byte> bytes) noexcept {
  using namespace wire::op_msg_layout;
  if (message.flags != 0) return fail();
  same(bytes.subspan(flags_at, sizeof message.flags));
  auto rest = bytes.subspan(sections_at);
  telemetry(message.telemetry, rest);
  if (rest.empty() || message.body.bytes().data() != rest.data() + 1) return fail();
  same(rest.first(1));
  body(message.body);
  rest = rest.subspan(1 + message.body.size_bytes());
  telemetry(message.telemetry, rest);
  if (!facts_.batch.empty()) batch(rest, message);
  telemetry(message.telemetry, rest);
  if (!rest.empty()) fail();
}

/// Writes a telemetry section (kind 3) if there is one at the current position. Its contents
/// are skipped: they differ in each message, and nothing depends on them.
void pattern_writer::telemetry(std::span<const std::byte> document,
                               std::span<const std::byte>& rest) noexcept {
  if (rest.empty() || document.empty() || document.data() != rest.data() + 1) return;
  same(rest.first(1));
  put(step::value, static_cast<std::uint8_t>(bson_type::document));
  rest = rest.subspan(1 + document.size());
}

void pattern_writer::body(document_view body) noexcept {
  bool is_first = true;
  fields_of(body, [&](const element& field) {
    if (std::exchange(is_first, false)) return constant(field);
    argument(field);
  });
}

void pattern_writer::argument(const element& field) noexcept {
  const std::string_view name = field.key();
  if (is_left_out(name)) return any_value(field);
  if (facts_.batch.empty() && is_named(name, facts_.filter)) return filter(field);
  if (facts_.batch.empty() && is_named(name, facts_.update)) return update(field);
  constant(field);
}

/// Writes the document sequence at the current position, which must be the only one, with only
/// one document.
void pattern_writer::batch(std::span<const std::byte>& rest,
                           const wire::op_msg& message) noexcept {
  constexpr std::size_t name_at = wire::op_msg_layout::sequence_name;
  const auto sequence = message.sequences.begin();
  if (rest.empty() || rest.front() != wire::section_kind::sequence ||
      sequence == message.sequences.end()) {
    return fail();
  }
  const auto only = document_view::from(sequence->documents);
  const std::string_view name = sequence->identifier;
  if (!only || name != facts_.batch) return fail();
  same(rest.first(1));
  put(step::enter);
  same(rest.subspan(name_at, name.size() + 1));
  if (facts_.holds == batch_items::documents) {
    inserted(*only);
  } else {
    statement(*only);
  }
  put(step::leave);
  rest = rest.subspan(name_at + name.size() + 1 + only->size_bytes());
}

void pattern_writer::statement(document_view one) noexcept {
  fields_of(one, [&](const element& field) {
    if (is_named(field.key(), facts_.filter)) return filter(field);
    if (is_named(field.key(), facts_.update)) return update(field);
    constant(field);
  });
}

void pattern_writer::inserted(document_view document) noexcept {
  fields_of(document, [&](const element& field) {
    if (!is_scalar(field.type()) && names_key(field.key())) return fail();
    any_value(field);
  });
}

void pattern_writer::filter(const element& field) noexcept {
  const auto inside = field.as_document();
  if (!inside || std::exchange(has_filter_, true)) return fail();
  name_of(field);
  constexpr std::size_t max_fields = 16;
  std::array<std::string_view, max_fields> names;
  std::size_t count = 0;
  fields_of(*inside, [&](const element& part) {
    // Two predicates on one path may contradict each other, so their values matter.
    const auto known = names.begin() + static_cast<std::ptrdiff_t>(count);
    const std::string_view name = part.key();
    if (count == max_fields || name.starts_with('$') || name.find('.') != name.npos ||
        std::find(names.begin(), known, name) != known) {
      return fail();
    }
    names[count++] = name;
    predicate(part);
  });
}

void pattern_writer::predicate(const element& field) noexcept {
  if (is_scalar(field.type())) return literal(field);
  const auto operators = field.as_document();
  if (!operators || operators->is_empty() || names_key(field.key())) return fail();
  name_of(field);
  fields_of(*operators, [&](const element& one) {
    if (one.key() == "$exists") return constant(one);
    if (!is_range_operator(one.key()) || !is_scalar(one.type())) return fail();
    literal(one);
  });
}

/// Writes an update of the form {$set: {path: literal, ...}, $inc: ...}.
void pattern_writer::update(const element& field) noexcept {
  const auto operators = field.as_document();
  if (!operators || operators->is_empty()) return fail();
  name_of(field);
  fields_of(*operators, [&](const element& one) {
    const auto paths = one.as_document();
    if (!paths || !one.key().starts_with('$') || one.key() == "$rename") return fail();
    name_of(one);
    fields_of(*paths, [&](const element& path) {
      const std::string_view top = path.key().substr(0, path.key().find('.'));
      if (!is_scalar(path.type()) || names_key(top)) return fail();
      literal(path);
    });
  });
}

void pattern_writer::constant(const element& field) noexcept {
  if (field.value().size() > max_constant_bytes) return fail();
  name_of(field);
  same(field.value());
}

void pattern_writer::any_value(const element& field) noexcept {
  name_of(field);
  const bool is_fixed = wire::layout_of(field.type()).how == wire::value_layout::kind::fixed;
  if (is_fixed && field.type() != bson_type::boolean) {
    put(step::skip, static_cast<std::uint8_t>(field.value().size()));
  } else {
    put(step::value, static_cast<std::uint8_t>(field.type()));
  }
}

/// Writes a field whose value is a literal: the shape contains only its type, or the subtype of
/// a binary value.
void pattern_writer::literal(const element& field) noexcept {
  if (field.type() != bson_type::binary) return any_value(field);
  constexpr std::size_t subtype_at = 4;
  name_of(field);
  put(step::binary, std::to_integer<std::uint8_t>(field.value()[subtype_at]));
}

/// Writes bytes that must be equal; extends the previous step if that is `same`, too.
void pattern_writer::same(std::span<const std::byte> bytes) noexcept {
  constexpr std::size_t longest = 255;
  if (bytes.empty()) return;
  if (bytes.size() > longest) return fail();
  if (run_ == 0 || std::to_integer<std::size_t>(to_.steps_[run_]) + bytes.size() > longest) {
    put(step::same, 0);
    run_ = to_.size_ - 1;
  }
  if (failed_ || bytes.size() > to_.steps_.size() - to_.size_) return fail();
  std::ranges::copy(bytes, to_.steps_.begin() + static_cast<std::ptrdiff_t>(to_.size_));
  to_.size_ += bytes.size();
  to_.steps_[run_] =
      static_cast<std::byte>(std::to_integer<std::size_t>(to_.steps_[run_]) + bytes.size());
}

bool write_pattern(const wire::op_msg& message, std::span<const std::byte> bytes,
                   const verdict& made, const catalog& entries, pattern& to) noexcept {
  const collection* on = entries.find(made.database, made.collection);
  if (!facts_of(made.command).has_pattern || bytes.size() > max_patterned_message ||
      !is_made_by_form(made, on)) {
    return false;
  }
  pattern_writer writer{to, made.command, on};
  writer.message(message, bytes);
  return !writer.has_failed();
}

namespace {

namespace layout = wire::op_msg_layout;

/// Hashes the outline of a command's documents.
class outline {
 public:
  /// Hashes the fields of a document and, down to `levels` levels, of the documents in it.
  /// Reads names as 64-bit words and only skips values, because this runs for every command of
  /// a collection with many patterns.
  void take(wire::document_view document, int levels) noexcept {
    take_fields(inside(document.bytes()), levels);
  }

  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

 private:
  static constexpr std::size_t word_bytes = sizeof(std::uint64_t);

  /// A document without its length and its closing NUL.
  static std::span<const std::byte> inside(std::span<const std::byte> document) noexcept {
    constexpr std::size_t length_bytes = sizeof(std::uint32_t);
    return document.subspan(length_bytes, document.size() - length_bytes - 1);
  }

  void take_fields(std::span<const std::byte> rest, int levels) noexcept {
    for (; !rest.empty() && fields_left_ != 0; --fields_left_) {
      const auto type = static_cast<wire::bson_type>(rest.front());
      hash_ += static_cast<std::uint64_t>(type);
      rest = rest.subspan(take_name(rest.subspan(1)) + 1);
      const std::size_t bytes = wire::value_size(type, rest);
      if (bytes > rest.size()) return;
      const bool is_nested =
          type == wire::bson_type::document || type == wire::bson_type::array;
      if (is_nested && levels != 0) {
        take_fields(inside(rest.first(bytes)), levels - 1);
      }
      rest = rest.subspan(bytes);
    }
  }

  /// Hashes the name at the start of `from`. Returns its size, including the closing NUL if
  /// there is one.
  std::size_t take_name(std::span<const std::byte> from) noexcept {
    std::size_t at = 0;
    for (; from.size() - at >= word_bytes; at += word_bytes) {
      const auto word = wire::load_little<std::uint64_t>(from.data() + at);
      const std::uint64_t marks = wire::nul_marks(word);
      if (marks != 0) {
        mix(word & ((marks ^ (marks - 1)) >> 8U));  // the bytes before the first NUL
        return at + wire::bytes_before_nul(marks) + 1;
      }
      mix(word);
    }
    std::uint64_t word = 0;
    for (unsigned shift = 0; at != from.size(); shift += 8) {
      const auto byte = std::to_integer<std::uint64_t>(from[at++]);
      if (byte == 0) break;
      word |= byte << shift;
    }
    mix(word);
    return at;
  }

  void mix(std::uint64_t word) noexcept {
    hash_ = wire::folded_product(word ^ hash_, key_.second);
  }

  const wire::hash_key& key_ = wire::hash_key::of_process();
  std::uint64_t hash_ = key_.first;
  int fields_left_ = 64;
};

/// How many levels to hash of a batched document: patterns ignore documents nested in an
/// inserted one.
int levels_in(std::span<const std::byte> identifier) noexcept {
  constexpr std::string_view documents = "documents";
  const bool is_insert = std::ranges::equal(
      identifier, std::as_bytes(std::span{documents.data(), documents.size()}));
  return is_insert ? 0 : 1;
}

}  // namespace

std::uint64_t outline_hash(std::span<const std::byte> sections) noexcept {
  outline made;
  if (sections.empty()) return 0;
  const auto body = wire::document_view::first_of(sections.subspan(layout::kind_bytes));
  if (!body) return 0;
  made.take(*body, 1);
  const auto rest = sections.subspan(layout::kind_bytes + body->size_bytes());
  if (rest.size() <= layout::sequence_name || rest.front() != wire::section_kind::sequence) {
    return made.hash();
  }
  const auto named = rest.subspan(layout::sequence_name);
  const auto name_end = std::ranges::find(named, std::byte{0});
  if (name_end == named.end()) return made.hash();
  const auto name = named.first(static_cast<std::size_t>(name_end - named.begin()));
  const auto first = wire::document_view::first_of(named.subspan(name.size() + 1));
  if (first) made.take(*first, levels_in(name));
  return made.hash();
}

}  // namespace scattergate::routing
