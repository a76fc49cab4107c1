#include "wire/bare_command.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "wire/bson_writer.hpp"

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

}  // namespace scattergate::wire
