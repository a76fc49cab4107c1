#include "routing/shape/shape_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "routing/command_kind.hpp"
#include "routing/shape/shape_items.hpp"
#include "routing/stages/stage.hpp"
#include "text/json_writer.hpp"

namespace scattergate::routing {
namespace {

using enum form;

/// The first eight bytes of a name as a number that sorts like the bytes, because BSON names
/// don't contain NULs. Most comparisons of names end here.
constexpr std::uint64_t begin_of(std::string_view name) noexcept {
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i != sizeof begin; ++i) {
    begin = begin << 8U | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0U);
  }
  return begin;
}

struct rule {
  std::string_view name;
  form how;
  std::uint64_t begin = begin_of(name);
};

// The tables are sorted by name. A name that isn't listed gets the default of its table.
// clang-format off

/// Arguments of commands. Those that don't affect which documents a command concerns are
/// omitted, as are all names that start with `$`.
constexpr rule argument_rules[] = {
    {"allowDiskUse", left_out}, {"allowPartialResults", left_out},
    {"apiDeprecationErrors", left_out}, {"apiStrict", left_out}, {"apiVersion", left_out},
    {"arrayFilters", filters}, {"autocommit", left_out}, {"awaitData", left_out},
    {"batchSize", left_out}, {"bypassDocumentValidation", left_out},
    {"bypassEmptyTsReplacement", left_out}, {"clientOperationKey", left_out},
    {"collation", collation}, {"comment", left_out}, {"coordinator", left_out},
    {"cursor", left_out}, {"databaseVersion", left_out}, {"deletes", statements},
    {"documents", documents}, {"encryptionInformation", left_out}, {"errorsOnly", left_out},
    {"exhaust", left_out}, {"explain", flag}, {"fields", projection}, {"filter", filter},
    {"fromMongos", left_out}, {"fromRouter", left_out}, {"help", left_out},
    {"hint", hint}, {"includeQueryStatsMetrics", left_out}, {"indexes", statements},
    {"isClusterQueryWithoutShardKeyCmd", left_out}, {"isRetryableWrite", left_out},
    {"jsMode", left_out}, {"key", ordered}, {"legacyRuntimeConstants", left_out},
    {"let", left_out}, {"limit", bound}, {"lsid", left_out}, {"maxAwaitTimeMS", left_out},
    {"maxBSONObjSize", left_out}, {"maxTimeMS", left_out}, {"maxTimeMSOpOnly", left_out},
    {"mayBypassWriteBlocking", left_out}, {"mirrored", left_out}, {"needsMerge", left_out},
    {"new", left_out}, {"noCursorTimeout", left_out}, {"nsInfo", left_out},
    {"oplogReplay", left_out}, {"ops", statements}, {"ordered", left_out},
    {"pipeline", pipeline}, {"projection", projection}, {"query", filter},
    {"querySettings", left_out}, {"rawData", left_out}, {"readConcern", left_out},
    {"readOnce", left_out}, {"recoveryToken", left_out}, {"remove", flag},
    {"returnKey", left_out}, {"runtimeConstants", left_out}, {"scope", left_out},
    {"serialization_context", left_out}, {"shardVersion", left_out},
    {"showRecordId", left_out}, {"singleBatch", left_out}, {"skip", bound},
    {"sort", ordered}, {"startTransaction", left_out}, {"stmtId", left_out},
    {"stmtIds", left_out}, {"tailable", left_out}, {"txnNumber", left_out},
    {"txnRetryCounter", left_out}, {"unique", flag}, {"update", update},
    {"updates", statements}, {"upsert", flag}, {"useNewUpsert", left_out},
    {"verbose", left_out}, {"verbosity", left_out},
    {"writeConcern", left_out}};

/// Fields of a statement of update, delete and bulkWrite, and of an index of createIndexes.
constexpr rule statement_rules[] = {
    {"arrayFilters", filters}, {"background", left_out}, {"c", left_out},
    {"collation", collation}, {"comment", left_out}, {"constants", left_out},
    {"delete", target}, {"document", document}, {"filter", filter}, {"hint", hint},
    {"insert", target}, {"key", ordered}, {"limit", one_or_all}, {"multi", flag},
    {"name", left_out}, {"partialFilterExpression", filter}, {"q", filter},
    {"return", left_out}, {"returnFields", left_out}, {"sampleId", left_out},
    {"sort", ordered}, {"stmtId", left_out}, {"u", update}, {"unique", flag},
    {"update", target}, {"updateMods", update}, {"upsert", flag}, {"v", left_out}};

/// Operators of a filter.
constexpr rule operator_rules[] = {
    {"$and", filters}, {"$comment", left_out}, {"$elemMatch", filter}, {"$expr", expression},
    {"$nor", filters}, {"$or", filters}};

/// Arguments of the stages whose form is `options`, and of mapReduce's `out`.
constexpr rule option_rules[] = {
    {"as", names}, {"coll", names}, {"connectFromField", names}, {"connectToField", names},
    {"db", names}, {"depthField", names}, {"distanceField", names}, {"foreignField", names},
    {"from", names}, {"includeArrayIndex", names}, {"includeLocs", names}, {"into", names},
    {"key", names}, {"localField", names}, {"merge", names}, {"on", names},
    {"pipeline", pipeline}, {"query", filter}, {"reduce", names}, {"replace", names},
    {"restrictSearchWithMatch", filter}, {"sortBy", ordered}, {"whenMatched", merge_action},
    {"whenNotMatched", merge_action}};

/// Operators of an expression.
constexpr rule expression_rules[] = {
    {"$const", literal}, {"$literal", literal}, {"$meta", meta}, {"sortBy", ordered}};

/// Options of a collation that aren't keywords or flags.
constexpr rule collation_rules[] = {{"locale", locale}, {"strength", strength}};
// clang-format on

consteval bool is_sorted(std::span<const rule> rules) {
  for (std::size_t i = 1; i < rules.size(); ++i) {
    if (rules[i - 1].name >= rules[i].name) return false;
  }
  return true;
}
static_assert(is_sorted(argument_rules) && is_sorted(statement_rules) &&
              is_sorted(operator_rules) && is_sorted(option_rules) &&
              is_sorted(expression_rules) && is_sorted(collation_rules));

form look_up(std::span<const rule> rules, std::string_view name, form otherwise) noexcept {
  const auto is_before = [begin = begin_of(name)](const rule& each, std::string_view key) {
    return each.begin != begin ? each.begin < begin : each.name < key;
  };
  const auto found = std::lower_bound(rules.begin(), rules.end(), name, is_before);
  return found != rules.end() && found->name == name ? found->how : otherwise;
}

/// Whether an argument names a field or a collection.
bool is_name(command_kind kind, std::string_view argument) noexcept {
  switch (kind) {
    case command_kind::distinct:
      return argument == "key";
    case command_kind::map_reduce:
      return argument == "out";
    case command_kind::create:
    case command_kind::coll_mod:
      return argument == "viewOn";
    default:
      return false;
  }
}

using words = std::span<const std::string_view>;

// Each list is sorted.
// clang-format off

/// Kinds of indexes (MongoDB's manual, "Index Types").
constexpr std::array<std::string_view, 4> directions{"2d", "2dsphere", "hashed", "text"};

/// Operands of $meta (mongo: db/pipeline/document_metadata_fields.cpp).
constexpr std::array<std::string_view, 15> metas{
    "geoNearDistance", "geoNearPoint", "indexKey", "randVal", "recordId", "score",
    "scoreDetails", "searchHighlights", "searchRootDocumentId", "searchScore",
    "searchScoreDetails", "searchSequenceToken", "sortKey", "textScore", "vectorSearchScore"};

/// Locales of collations (MongoDB's manual, "Collation Locales"): languages, some with script
/// or region.
constexpr std::array<std::string_view, 110> locales{
    "af", "am", "ar", "as", "az", "be", "bg", "bn", "bo", "bs", "bs_Cyrl", "ca", "chr", "cs",
    "cy", "da", "de", "de_AT", "dsb", "dz", "ee", "el", "en", "en_US", "en_US_POSIX", "eo", "es",
    "et", "fa", "fa_AF", "fi", "fil", "fo", "fr", "fr_CA", "ga", "gl", "gu", "ha", "haw", "he",
    "hi", "hr", "hsb", "hu", "hy", "id", "ig", "is", "it", "ja", "ka", "kk", "kl", "km", "kn",
    "ko", "kok", "ky", "lb", "lkt", "ln", "lo", "lt", "lv", "mk", "ml", "mn", "mr", "ms", "mt",
    "my", "nb", "ne", "nl", "nn", "om", "or", "pa", "pl", "ps", "pt", "ro", "ru", "se", "si",
    "simple", "sk", "sl", "smn", "sq", "sr", "sr_Latn", "sv", "sw", "ta", "te", "th", "to", "tr",
    "ug", "uk", "ur", "vi", "wae", "yi", "yo", "zh", "zh_Hant", "zu"};

/// The variants of a locale, as in `de@collation=phonebook`.
constexpr std::array<std::string_view, 12> variants{
    "big5han", "compat", "dictionary", "gb2312han", "phonebook", "phonetic", "pinyin",
    "reformed", "search", "stroke", "traditional", "zhuyin"};

constexpr std::array<std::string_view, 7> collation_words{
    "lower", "non-ignorable", "off", "punct", "shifted", "space", "upper"};

constexpr std::array<std::string_view, 6> merge_words{
    "discard", "fail", "insert", "keepExisting", "merge", "replace"};
// clang-format on
static_assert(std::ranges::is_sorted(directions) && std::ranges::is_sorted(metas) &&
              std::ranges::is_sorted(locales) && std::ranges::is_sorted(variants) &&
              std::ranges::is_sorted(collation_words) && std::ranges::is_sorted(merge_words));

bool has(words among, std::string_view text) noexcept {
  return std::ranges::binary_search(among, text);
}

bool is_locale(std::string_view text) noexcept {
  constexpr std::string_view keyword = "@collation=";
  const std::size_t at = text.find(keyword);
  if (at == text.npos) return has(locales, text);
  return has(locales, text.substr(0, at)) && has(variants, text.substr(at + keyword.size()));
}

constexpr std::string_view cut_member = ",\"...\":true";
constexpr std::string_view cut_item = ",\"...\"";

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

bool is_hex(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_uuid(std::string_view text) noexcept {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

/// The placeholder for a path component that is data. `is_path`: the component begins with `$`,
/// which is kept.
std::string_view data(std::string_view shown, bool is_path) noexcept {
  return is_path ? shown : shown.substr(1);
}

/// The text that a shape has for one component of a dotted path.
std::string_view shown(std::string_view component) noexcept {
  const bool is_path = component.starts_with('$');
  const std::string_view name = component.substr(is_path ? 1 : 0);
  if (name.empty() || !is_hex(name.front())) return component;
  if (std::all_of(name.begin(), name.end(), is_digit)) return data("$?number", is_path);
  if (name.size() == 24 && std::all_of(name.begin(), name.end(), is_hex)) {
    return data("$?objectId", is_path);
  }
  return is_uuid(name) ? data("$?uuid", is_path) : component;
}

std::string_view first_component(std::string_view path) noexcept {
  return path.substr(0, path.find('.'));
}

/// Iterates over the text that a shape has for a name: its components, and the dots between
/// them.
class shown_name {
 public:
  explicit shown_name(std::string_view name) noexcept : rest_(name) {}

  /// The next piece; the name has ended if it is empty and at_end() is true.
  std::string_view next() noexcept {
    if (dot_is_due_) {
      dot_is_due_ = false;
      rest_.remove_prefix(1);
      component_is_due_ = true;
      return ".";
    }
    const std::string_view component = first_component(rest_);
    rest_.remove_prefix(component.size());
    dot_is_due_ = !rest_.empty();
    component_is_due_ = false;
    return shown(component);
  }
  [[nodiscard]] bool at_end() const noexcept { return !dot_is_due_ && !component_is_due_; }

 private:
  std::string_view rest_;
  bool dot_is_due_ = false;
  bool component_is_due_ = true;
};

/// Whether an argument has the same meaning as if it were absent.
bool is_void(form how, const wire::element& value) noexcept {
  switch (how) {
    case form::left_out:
      return true;
    case form::flag:
      return !value.is_truthy();
    case form::bound:
      return value.as_int64() == 0;
    case form::filter:
    case form::ordered:
    case form::projection:
    case form::hint:
    case form::collation: {
      const auto document = value.as_container();
      return document && document->is_empty();
    }
    default:
      return false;
  }
}

bool is_argument_list(form container) noexcept {
  return container == form::arguments || container == form::statement;
}

}  // namespace

form form_of_argument(command_kind kind, std::string_view name) noexcept {
  if (name.starts_with('$')) return left_out;
  return is_name(kind, name) ? names : look_up(argument_rules, name, literal);
}

form form_of_field(form container, std::string_view name) noexcept {
  const bool is_operator = name.starts_with('$');
  switch (container) {
    case statement:
      return look_up(statement_rules, name, literal);
    case filter:
      return is_operator ? look_up(operator_rules, name, predicate) : predicate;
    case update:
      return name == "$rename" ? renames : update_fields;
    case update_fields:
      return operator_operand;
    case operator_operand:
      return name == "$sort" ? ordered : operator_operand;
    case renames:
      return names;
    case stage:
      return stage_of(name).shape;
    case options:
      return look_up(option_rules, name, expression);
    case facets:
      return pipeline;
    case collation:
      return look_up(collation_rules, name, collation);
    case projection:
      return projection;
    case expression:
      return look_up(expression_rules, name, expression);
    default:
      return literal;
  }
}

bool is_word(word_place place, std::string_view text) noexcept {
  switch (place) {
    case word_place::direction:
      return has(directions, text);
    case word_place::meta:
      return has(metas, text);
    case word_place::locale:
      return is_locale(text);
    case word_place::collation:
      return has(collation_words, text);
    case word_place::when_match:
      return has(merge_words, text);
  }
  return false;
}

bool is_plain_name(std::string_view name) noexcept {
  for (;;) {
    const std::string_view component = first_component(name);
    if (shown(component).data() != component.data()) return false;
    if (component.size() == name.size()) return true;
    name.remove_prefix(component.size() + 1);
  }
}

int compare_names(std::string_view left, std::string_view right) noexcept {
  shown_name left_pieces{left};
  shown_name right_pieces{right};
  std::string_view a;
  std::string_view b;
  for (;;) {
    while (a.empty() && !left_pieces.at_end()) a = left_pieces.next();
    while (b.empty() && !right_pieces.at_end()) b = right_pieces.next();
    if (a.empty() || b.empty())
      return static_cast<int>(!a.empty()) - static_cast<int>(!b.empty());
    const std::size_t common = std::min(a.size(), b.size());
    const int order = std::memcmp(a.data(), b.data(), common);
    if (order != 0) return order;
    a.remove_prefix(common);
    b.remove_prefix(common);
  }
}

bool shape_text::member(std::string_view name) noexcept {
  return begin(true, name);
}

bool shape_text::item() noexcept {
  return begin(false, {});
}

bool shape_text::begin(bool in_object, std::string_view name) noexcept {
  if (is_cut_) return false;
  const place before = here();
  const bool is_written =
      (!needs_comma_ || put(",")) && (!in_object || (put_name(name) && put(":")));
  if (!is_written || size_ + largest_scalar + closing_bytes() > limit_) {
    rewind(before);
    cut(in_object);
    return false;
  }
  needs_comma_ = false;
  return true;
}

// begin() has reserved room for what the next four functions write.

void shape_text::open(char bracket) noexcept {
  buffer_[size_++] = bracket;
  ++depth_;
  needs_comma_ = false;
}

void shape_text::close(char bracket) noexcept {
  buffer_[size_++] = bracket;
  --depth_;
  needs_comma_ = true;
}

void shape_text::scalar(std::string_view json) noexcept {
  std::memcpy(buffer_.data() + size_, json.data(), json.size());
  size_ += json.size();
  needs_comma_ = true;
}

void shape_text::cut(bool in_object) noexcept {
  if (is_cut_) return;
  std::string_view mark = in_object ? cut_member : cut_item;
  if (!needs_comma_) mark.remove_prefix(1);
  scalar(mark);
  is_cut_ = true;
}

void shape_text::name(std::string_view text) noexcept {
  const place before = here();
  if (put_name(text) && fits(limit_)) {
    needs_comma_ = true;
    return;
  }
  rewind(before);
  scalar("\"?string\"");
}

void shape_text::set_limit(std::size_t limit) noexcept {
  limit_ = std::min(limit, buffer_.size());
}

bool shape_text::fits(std::size_t limit) const noexcept {
  return size_ + closing_bytes() <= limit;
}

void shape_text::rewind(const place& earlier) noexcept {
  size_ = earlier.size;
  depth_ = earlier.depth;
  needs_comma_ = earlier.needs_comma;
  is_cut_ = earlier.is_cut;
}

std::size_t shape_text::closing_bytes() const noexcept {
  return depth_ + cut_member.size();
}

bool shape_text::put(std::string_view text) noexcept {
  if (text.size() > limit_ - size_) return false;
  std::memcpy(buffer_.data() + size_, text.data(), text.size());
  size_ += text.size();
  return true;
}

bool shape_text::put_name(std::string_view name) noexcept {
  if (!put("\"")) return false;
  for (shown_name pieces{name}; !pieces.at_end();) {
    if (!put_escaped(pieces.next())) return false;
  }
  return put("\"");
}

bool shape_text::put_escaped(std::string_view text) noexcept {
  while (!text.empty()) {
    const text::json_piece piece = text::next_json_piece(text);
    if (!put(piece.text)) return false;
    text.remove_prefix(piece.consumed);
  }
  return true;
}

void shape_writer::write_command(const wire::element& first, wire::document_view body,
                                 const wire::sequence_range& sequences) noexcept {
  const command_kind kind = kind_of(first.key());
  if (is_sensitive(kind) || family_of(kind) == command_family::follows_cursor) {
    out_.scalar("{}");
    return;
  }
  if (kind == command_kind::explain) {
    write_explained(first);
    return;
  }
  kind_ = kind;
  // A label that several commands share doesn't identify the command, so the first field is
  // written, too.
  write_arguments(is_group(kind) ? std::string_view{} : first.key(), body, sequences);
}

void shape_writer::write_explained(const wire::element& explain) noexcept {
  if (!enter()) return;
  out_.open('{');
  wire::element inner;
  if (const auto body = explain.as_document()) {
    wire::document_reader reader{*body};
    const command_kind kind = reader.next(inner) ? kind_of(inner.key()) : command_kind::other;
    const std::string_view name = is_group(kind) ? inner.key() : name_of(kind);
    if (!body->is_empty() && out_.member(name)) write_command(inner, *body, {});
  }
  out_.close('}');
  budget_.leave();
}

void shape_writer::write_arguments(std::string_view but, wire::document_view body,
                                   const wire::sequence_range& sequences) noexcept {
  if (!enter()) return;
  out_.open('{');
  const std::size_t mark = memory_.mark();
  const std::size_t open_before = open_fields_;
  const auto fields = gather(but, body, sequences);
  for (const field& each : fields) {
    if (each.name == "nsInfo") remember_namespaces(item_reader{each.value, each.is_sequence});
  }
  write_fields(form::arguments, fields);
  open_fields_ = open_before;
  memory_.rewind(mark);
  out_.close('}');
  budget_.leave();
}

void shape_writer::write_sorted(form container, const wire::element& document) noexcept {
  if (!enter()) return;
  out_.open('{');
  const std::size_t mark = memory_.mark();
  const std::size_t open_before = open_fields_;
  const auto view = document.as_container();
  write_fields(container, gather({}, view.value_or(wire::document_view{}), {}));
  open_fields_ = open_before;
  memory_.rewind(mark);
  out_.close('}');
  budget_.leave();
}

std::span<shape_writer::field> shape_writer::gather(
    std::string_view but, wire::document_view document,
    const wire::sequence_range& sequences) noexcept {
  std::span<field> fields;
  const auto add = [&](std::string_view name, const wire::element& value, bool is_sequence) {
    const bool may_open =
        open_fields_ < shape_limits::sorted_fields && spend_node() && work_.spend(name.size());
    const auto position = static_cast<std::uint32_t>(fields.size());
    if (!may_open || !memory_.extend(fields)) return out_.cut(true);
    fields.back() = {name, value, position, is_plain_name(name), is_sequence, form::literal};
    ++open_fields_;
  };
  wire::document_reader reader{document};
  for (wire::element each; !out_.is_cut() && reader.next(each);) {
    if (but.empty() || each.key() != but) add(each.key(), each, false);
  }
  if (reader.is_corrupt()) out_.cut(true);
  for (auto it = sequences.begin(); it != sequences.end() && !out_.is_cut(); ++it) {
    add(it->identifier, {it->identifier, wire::bson_type::array, it->documents}, true);
  }
  return fields;
}

void shape_writer::write_fields(form container, std::span<field> fields) noexcept {
  const auto order = [](const field& left, const field& right) {
    return left.is_plain && right.is_plain ? left.name.compare(right.name)
                                           : compare_names(left.name, right.name);
  };
  if (!spend_sorting(fields)) return out_.cut(true);
  fields = shown_of(container, fields);
  std::sort(fields.begin(), fields.end(), [&](const field& left, const field& right) {
    const int by_name = order(left, right);
    return by_name != 0 ? by_name < 0 : left.position < right.position;
  });
  seen_items seen;
  bool is_repeated = false;
  for (std::size_t i = 0; i < fields.size() && !out_.is_cut(); ++i) {
    if (!is_repeated) seen.clear();
    const bool repeats = std::exchange(
        is_repeated, i + 1 < fields.size() && order(fields[i], fields[i + 1]) == 0);
    write_field(fields[i], repeats || is_repeated ? &seen : nullptr);
  }
}

/// Moves the fields that the shape contains to the front, and determines their forms. Half of a
/// command's arguments only control how it runs; these aren't sorted.
std::span<shape_writer::field> shape_writer::shown_of(form container,
                                                      std::span<field> fields) const noexcept {
  std::size_t count = 0;
  for (field& each : fields) {
    each.how = container == form::arguments ? form_of_argument(kind_, each.name)
                                            : form_of_field(container, each.name);
    const bool is_absent = is_argument_list(container) ? is_void(each.how, each.value)
                                                       : each.how == form::left_out;
    if (!is_absent) fields[count++] = each;
  }
  return fields.first(count);
}

// Writes one field. A name may occur several times: in a conjunction, or as two keys of a map
// that the shape writes identically. Fields with identical texts are written once. `seen`: null
// if the name occurs once.
void shape_writer::write_field(const field& each, seen_items* seen) noexcept {
  const shape_text::place before = out_.here();
  const std::size_t begin = out_.next_item();
  if (!out_.member(each.name)) return;
  if (!each.is_sequence) {
    write(each.how, each.value);
  } else if (each.how == form::statements) {
    write_distinct(form::statement, item_reader{each.value, true});
  } else {
    out_.scalar(each.how == form::documents ? "\"?documents\"" : "\"?array<?object>\"");
  }
  if (out_.is_cut()) return;
  const bool is_paid = work_.spend(out_.text().size() - begin);
  const auto answer =
      seen == nullptr ? seen_items::answer::is_new : seen->add(out_.text(), begin);
  if (answer != seen_items::answer::is_new) out_.rewind(before);
  if (!is_paid) return out_.cut(true);
  if (answer == seen_items::answer::full) out_.cut(true);
}

void shape_writer::write_in_order(form each, const wire::element& container) noexcept {
  if (!enter()) return;
  const bool is_list = container.is_array();
  out_.open(is_list ? '[' : '{');
  wire::document_reader reader{container.as_container().value_or(wire::document_view{})};
  for (wire::element item; !out_.is_cut() && reader.next(item);) {
    if (!spend_node()) {
      out_.cut(!is_list);
    } else if (is_list ? out_.item() : out_.member(item.key())) {
      write(each, item);
    }
  }
  if (reader.is_corrupt()) out_.cut(!is_list);
  out_.close(is_list ? ']' : '}');
  budget_.leave();
}

void shape_writer::write_distinct(form each, item_reader&& items) noexcept {
  if (!enter()) return;
  out_.open('[');
  seen_items seen;
  std::size_t looked_at = 0;
  for (wire::element item; !out_.is_cut() && items.next(item);) {
    if (++looked_at > shape_limits::compared_items || work_.is_low()) break;
    if (spend_node()) {
      write_if_new(each, item, seen);
    } else {
      out_.cut(false);
    }
  }
  if (items.is_corrupt()) out_.cut(false);
  out_.close(']');
  budget_.leave();
}

// Writes an item of a list unless an equal one was written. A statement may use the room of a
// whole shape, so that a hundred equal statements are recognised as one, however long they are.
// Lists within a statement share the remaining room: a second attempt at each level would
// double the work each time.
void shape_writer::write_if_new(form each, const wire::element& item,
                                seen_items& seen) noexcept {
  const shape_text::place before = out_.here();
  const std::size_t begin = out_.next_item();
  const std::size_t limit = out_.limit();
  const bool widens = each == form::statement;
  if (widens) out_.set_limit(2 * limit);
  if (out_.item()) write(each, item);
  out_.set_limit(limit);
  if (out_.is_cut() && !widens) return;
  work_.charge(out_.text().size() - begin);
  const auto answer = seen.add(out_.text(), begin);
  if (answer == seen_items::answer::is_new && out_.fits(limit)) return;
  out_.rewind(before);
  if (answer == seen_items::answer::full) out_.cut(false);
  if (answer == seen_items::answer::is_new && out_.item()) write(each, item);
}

void shape_writer::remember_namespaces(item_reader&& namespaces) noexcept {
  const auto names = memory_.allocate<std::string_view>(shape_limits::named_namespaces);
  std::size_t size = 0;
  wire::element item;
  while (size < names.size() && namespaces.next(item)) {
    const auto info = item.as_container();
    if (info && !work_.spend(info->size_bytes())) break;
    const auto ns = info ? wire::find_field(*info, "ns") : std::nullopt;
    names[size++] = ns ? ns->as_string() : std::string_view{};
  }
  namespaces_ = names.first(size);
}

/// Spends the cost of reading a field or item and writing its type; false if the budget is
/// spent.
bool shape_writer::spend_node() noexcept {
  constexpr std::size_t units = 20;
  return budget_.spend_node() && work_.spend(units);
}

/// Spends the cost of sorting fields; false if the budget is spent. Each name is compared about
/// log2(number of fields) times; names with data in them are compared piece by piece. Spent
/// beforehand, because half-sorted fields are useless.
bool shape_writer::spend_sorting(std::span<const field> fields) noexcept {
  constexpr std::size_t of_comparison = 10;
  constexpr std::size_t plain_bytes_per_unit = 8;
  constexpr std::size_t units_per_shown_byte = 4;
  std::size_t once = 0;
  for (const field& each : fields) {
    once += of_comparison + (each.is_plain ? each.name.size() / plain_bytes_per_unit
                                           : each.name.size() * units_per_shown_byte);
  }
  return work_.spend(once * static_cast<std::size_t>(std::bit_width(fields.size() | 1U) - 1));
}

bool shape_writer::enter() noexcept {
  if (budget_.enter()) return true;
  out_.scalar("\"?deep\"");
  return false;
}

}  // namespace scattergate::routing
