#include "wire/command.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "wire/bson_writer.hpp"
#include "wire/endian.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::wire {
namespace {

/// Sorted. MongoDB's generic arguments (mongo: generic_argument.idl), and the arguments for
/// cursors and query plans.
// clang-format off
constexpr std::array<std::string_view, 36> execution_arguments = {
    "allowDiskUse", "allowPartialResults", "apiDeprecationErrors", "apiStrict", "apiVersion",
    "autocommit", "awaitData", "batchSize", "bypassDocumentValidation", "clientOperationKey",
    "comment", "coordinator", "databaseVersion", "exhaust", "explain", "hint", "lsid",
    "maxAwaitTimeMS", "maxTimeMS", "mayBypassWriteBlocking", "noCursorTimeout", "oplogReplay",
    "ordered", "rawData", "readConcern", "recoveryToken", "returnKey", "shardVersion",
    "showRecordId", "singleBatch", "startTransaction", "stmtId", "stmtIds", "tailable",
    "txnNumber", "writeConcern"};
// clang-format on
static_assert(std::is_sorted(execution_arguments.begin(), execution_arguments.end()));

/// Writes a sequence as an array. False if a document of the sequence is corrupt, or if `to`
/// would exceed `max_bytes`.
bool write_sequence(const document_sequence& sequence, std::size_t max_bytes, bson_writer& to) {
  to.open_array(sequence.identifier);
  sequence_reader reader{sequence.documents};
  std::size_t count = 0;
  bool has_room = true;
  for (document_view document; has_room && reader.next(document); ++count) {
    has_room = to.size_bytes() + document.size_bytes() <= max_bytes;
    if (has_room) to.document(std::to_string(count), document);
  }
  to.close();
  return has_room && !reader.is_corrupt();
}

/// The names of one command's top-level fields and document sequences, to detect duplicates,
/// because it isn't known which of two equal fields mongos would use. Doesn't allocate. The
/// work is bounded for any input: at most limits::command_fields names, which are compared only
/// if a 64-bit filter says that a name may have been seen. Skips names longer than any known
/// field's, because routing never reads such fields.
class seen_names {
 public:
  enum class answer : std::uint8_t { is_new, seen, full };

  [[nodiscard]] answer add(std::string_view name) noexcept {
    if (name.size() > limits::command_field_name_bytes) return answer::is_new;
    const std::uint64_t bit = bit_of(name);
    if ((filter_ & bit) != 0) {
      for (std::size_t i = 0; i != size_; ++i) {
        if (std::string_view{starts_[i], sizes_[i]} == name) return answer::seen;
      }
    }
    if (size_ == starts_.size()) return answer::full;
    filter_ |= bit;
    starts_[size_] = name.data();
    sizes_[size_++] = static_cast<std::uint8_t>(name.size());
    return answer::is_new;
  }

 private:
  /// A bit chosen by the name's length and three of its bytes, which differ among MongoDB's
  /// names.
  static std::uint64_t bit_of(std::string_view name) noexcept {
    if (name.empty()) return 1;
    const auto at = [name](std::size_t i) -> std::size_t {
      return static_cast<unsigned char>(name[i]);
    };
    const std::size_t mixed =
        name.size() * 7 + at(0) * 31 + at(name.size() / 2) * 5 + at(name.size() - 1);
    return std::uint64_t{1} << (mixed % 64);
  }

  // Uninitialised on purpose: only the first size_ are read.
  std::array<const char*, limits::command_fields> starts_;
  std::array<std::uint8_t, limits::command_fields> sizes_;
  std::size_t size_ = 0;
  std::uint64_t filter_ = 0;
  static_assert(limits::command_field_name_bytes <= std::numeric_limits<std::uint8_t>::max());
};

/// Adds `name` to `names`. Returns duplicate_field or too_many_nodes if that fails, otherwise
/// no error.
wire_errc add(seen_names& names, std::string_view name) noexcept {
  switch (names.add(name)) {
    case seen_names::answer::is_new:
      return {};
    case seen_names::answer::seen:
      return wire_errc::duplicate_field;
    case seen_names::answer::full:
      return wire_errc::too_many_nodes;
  }
  return {};
}

/// Fills in name, database, collection, first and body in one walk over the top level.
wire_errc read_body(document_view body, seen_names& names, command& found) noexcept {
  element collection;
  bool is_first = true;
  document_reader reader{body};
  for (element field; reader.next(field); is_first = false) {
    if (const auto error = add(names, field.key()); error != wire_errc{}) return error;
    if (is_first) found.first = field;
    if (field.key() == "$db") {
      if (!field.is_string()) return wire_errc::bad_bson;
      found.database = field.as_string();
    } else if (field.key() == "collection") {
      collection = field;
    }
  }
  if (reader.is_corrupt()) return wire_errc::bad_bson;
  if (is_first) return wire_errc::empty_command;
  found.body = body;
  found.name = found.first.key();
  const element& named = found.name == "getMore" ? collection : found.first;
  // mongos accepts a symbol for many commands, too (mongo: parseNsCollectionRequired).
  if (named.is_string() || named.type() == bson_type::symbol) {
    found.collection = named.as_string();
  }
  return {};
}

/// Whether a document has arguments of its command in `$queryOptions`. mongos takes an array
/// for a document there, and uses the first of several fields `$queryOptions`.
bool hides_arguments(document_view body) noexcept {
  document_reader reader{body};
  for (element field; reader.next(field);) {
    if (field.key() != "$queryOptions") continue;
    const auto options = field.as_container();
    if (!options) return true;
    document_reader inner{*options};
    for (element option; inner.next(option);) {
      if (option.key() != "$readPreference") return true;
    }
    if (inner.is_corrupt()) return true;
  }
  return false;
}

using op_msg_layout::kind_bytes;
using op_msg_layout::length_bytes;
using op_msg_layout::sections_at;

/// The offset of the body's section. May be beyond the end of `start`.
std::size_t body_section_at(std::span<const std::byte> start) noexcept {
  constexpr std::size_t length_at = sections_at + kind_bytes;
  constexpr std::size_t length_end = length_at + length_bytes;
  if (start.size() < length_end || start[sections_at] != section_kind::telemetry) {
    return sections_at;
  }
  return length_at + load_little<std::uint32_t>(start.data() + length_at);
}

/// The text up to the next NUL; std::nullopt if there is none.
std::optional<std::string_view> name_at(std::span<const std::byte> start, std::size_t at) {
  if (start.size() <= at) return std::nullopt;
  const auto name = start.subspan(at);
  const auto nul = std::find(name.begin(), name.end(), std::byte{0});
  if (nul == name.end()) return std::nullopt;
  return std::string_view{reinterpret_cast<const char*>(name.data()),
                          static_cast<std::size_t>(nul - name.begin())};
}

bool is_section(std::span<const std::byte> start, std::size_t at, std::byte kind) noexcept {
  return at < start.size() && start[at] == kind;
}

}  // namespace

bool controls_execution(std::string_view argument) noexcept {
  return argument.starts_with('$') ||
         std::binary_search(execution_arguments.begin(), execution_arguments.end(), argument);
}

std::vector<std::byte> bare_command_of(const command& command, std::size_t max_bytes) {
  if (command.body.size_bytes() > max_bytes) return {};
  bson_writer made;
  document_reader reader{command.body};
  bool is_name = true;
  for (element field; reader.next(field); is_name = false) {
    if (is_name || !controls_execution(field.key())) made.copy(field);
  }
  if (reader.is_corrupt()) return {};
  for (const document_sequence& sequence : command.sequences) {
    if (!write_sequence(sequence, max_bytes, made)) return {};
  }
  made.text("$db", command.database);
  if (made.size_bytes() >= max_bytes) return {};  // take() adds the last byte
  return made.take();
}

std::vector<std::byte> whole_command_of(const command& command, std::size_t max_bytes) {
  if (command.body.size_bytes() > max_bytes) return {};
  constexpr std::size_t room_for_names = 64;
  bson_writer made{command.body, command.size_bytes() + room_for_names};
  for (const document_sequence& sequence : command.sequences) {
    if (!write_sequence(sequence, max_bytes, made)) return {};
  }
  if (made.size_bytes() >= max_bytes) return {};  // take() adds the last byte
  return made.take();
}

result<command> command_of(document_view body) noexcept {
  command found;
  seen_names names;
  if (const auto error = read_body(body, names, found); error != wire_errc{}) return error;
  return found;
}

result<command> command_of(const op_msg& message) noexcept {
  command found;
  seen_names names;
  if (const auto error = read_body(message.body, names, found); error != wire_errc{}) {
    return error;
  }
  for (const document_sequence& sequence : message.sequences) {
    const auto error = add(names, sequence.identifier);
    if (error != wire_errc{}) return error;
  }
  found.sequences = message.sequences;
  found.request_id = message.header.request_id;
  found.more_to_come = message.has(msg_flag::more_to_come);
  found.exhaust_allowed = message.has(msg_flag::exhaust_allowed);
  return found;
}

result<command> command_of(const op_query& message) noexcept {
  constexpr std::string_view command_suffix = ".$cmd";
  const std::string_view name = message.full_collection_name;
  if (!name.ends_with(command_suffix)) return wire_errc::legacy_opcode;

  document_view body = message.query;
  if (hides_arguments(body)) return wire_errc::hidden_arguments;
  document_reader reader{body};
  // mongos accepts an array as a document here, whatever its field names.
  if (element first; reader.next(first) && first.as_container() &&
                     (first.key() == "$query" || first.key() == "query")) {
    body = *first.as_container();
    for (element rest; reader.next(rest);) {
      // Reads the other fields only to detect corruption: they are read options, not part of
      // the command.
    }
    if (reader.is_corrupt()) return wire_errc::bad_bson;
    if (hides_arguments(body)) return wire_errc::hidden_arguments;
  }
  auto found = command_of(body);
  if (!found) return found;
  found->database = name.substr(0, name.size() - command_suffix.size());
  found->request_id = message.header.request_id;
  return found;
}

result<command> parse_command(const message_header& header,
                              std::span<const std::byte> message) noexcept {
  switch (header.op) {
    case opcode::msg: {
      const auto parsed = parse_op_msg(header, message);
      if (!parsed) return parsed.error();
      return command_of(*parsed);
    }
    case opcode::query: {
      const auto parsed = parse_op_query(header, message);
      if (!parsed) return parsed.error();
      return command_of(*parsed);
    }
    case opcode::compressed:
      return wire_errc::compressed;
    case opcode::update:
    case opcode::insert:
    case opcode::get_more:
    case opcode::delete_:
    case opcode::kill_cursors:
      return wire_errc::legacy_opcode;
    case opcode::reply:
      break;
  }
  return wire_errc::unexpected_opcode;
}

std::optional<std::string_view> name_of_command(std::span<const std::byte> start) noexcept {
  const std::size_t body_at = body_section_at(start);
  if (!is_section(start, body_at, section_kind::body)) return std::nullopt;
  return name_at(start, body_at + op_msg_layout::first_field + 1);  // after its type
}

std::optional<started_command> started_command_in(std::span<const std::byte> start) noexcept {
  const std::size_t body_at = body_section_at(start);
  if (!is_section(start, body_at, section_kind::body)) return std::nullopt;
  const auto rest = start.subspan(body_at + kind_bytes);
  if (rest.size() < length_bytes) return std::nullopt;
  const std::size_t body_bytes = load_little<std::uint32_t>(rest.data());
  if (body_bytes > rest.size()) return std::nullopt;
  const auto body = document_view::from(rest.first(body_bytes));
  const auto what = body ? command_of(*body) : result<command>{wire_errc::bad_bson};
  const std::size_t section_at = body_at + kind_bytes + body_bytes;
  if (!what || !is_section(start, section_at, section_kind::sequence)) return std::nullopt;
  const auto name = name_at(start, section_at + op_msg_layout::sequence_name);
  if (!name) return std::nullopt;
  const std::size_t first = section_at + op_msg_layout::sequence_name + name->size() + 1;
  // The section's length doesn't include its kind byte.
  const std::size_t section_end =
      section_at + kind_bytes +
      load_little<std::uint32_t>(start.data() + section_at + kind_bytes);
  const std::size_t end = std::clamp(section_end, first, start.size());
  return started_command{*what, {*name, start.subspan(first, end - first)}, first};
}

}  // namespace scattergate::wire
