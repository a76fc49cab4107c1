#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "routing/classify.hpp"
#include "routing/shape/shape.hpp"
#include "routing/statements/digest_rules.hpp"
#include "tests/fuzz/judging.hpp"
#include "wire/command.hpp"
#include "wire/endian.hpp"
#include "wire/message_digest.hpp"

/// The digest of a command whose bytes pass in pieces parses, and has the command's verdict
/// and shape, however the bytes are split. The input is one message whose first byte is not
/// part of it: it says how the message is cut. Its length field is put right first.
namespace {

using namespace scattergate;
using fuzz::require;
using bytes_view = std::span<const std::byte>;

/// Whether all of a command's documents can be read, and whether they hold no text about which
/// a shape is more exact than a digest: a long one may be a name.
struct soundness {
  bool is_sound = true;
  bool is_plain = true;

  void add(wire::document_view document, int depth = 0) {
    constexpr int too_deep = 100;
    wire::document_reader reader{document};
    for (wire::element field; reader.next(field);) {
      const bool is_long =
          field.is_string() && field.as_string().size() >= wire::message_digest::abridged_bytes;
      is_plain = is_plain && !is_long && depth < too_deep;
      const bool is_open = (field.is_document() || field.is_array()) && depth < too_deep;
      if (is_open) add(*field.as_container(), depth + 1);
    }
    if (reader.is_corrupt()) is_sound = false;
  }
};

soundness look_at(const wire::command& command) {
  soundness found;
  found.add(command.body);
  for (const wire::document_sequence& sequence : command.sequences) {
    wire::sequence_reader reader{sequence.documents};
    for (wire::document_view one; reader.next(one);) found.add(one);
    if (reader.is_corrupt()) found.is_sound = false;
  }
  return found;
}

std::optional<wire::command> command_in(bytes_view message) {
  const auto header = wire::parse_header(message.first<wire::limits::header_bytes>());
  if (!header || header->op != wire::opcode::msg) return std::nullopt;
  const auto command = wire::parse_command(*header, message);
  if (!command) return std::nullopt;
  return *command;
}

using block = std::vector<std::byte>;

/// A verdict with the scratch that it points into.
struct judgement {
  judgement(const wire::command& command, const routing::catalog& entries, block& lent)
      : memory{lent}, verdict{routing::classify(command, entries, memory)} {}
  routing::scratch memory;
  routing::verdict verdict;
};

void require_alike(const wire::command& given, const wire::command& kept,
                   const routing::catalog& entries) {
  static block lent_to_one(routing::scratch_bytes);
  static block lent_to_other(routing::scratch_bytes);
  const judgement one{given, entries, lent_to_one};
  const judgement other{kept, entries, lent_to_other};
  const routing::verdict& a = one.verdict;
  const routing::verdict& b = other.verdict;
  require(a.command == b.command && a.routing == b.routing && a.bounds == b.bounds &&
          a.why == b.why && a.lint == b.lint && a.refused == b.refused &&
          a.database == b.database && a.collection == b.collection && a.judged == b.judged &&
          a.missing == b.missing && a.statements == b.statements && a.widened == b.widened);
  const auto words_of = [](const auto& shards) { return shards ? shards->words()[0] : ~0ULL; };
  require(words_of(a.fanout) == words_of(b.fanout) &&
          words_of(a.sent_to) == words_of(b.sent_to));
}

std::uint64_t shape_of(const wire::command& command) {
  static block lent(routing::scratch_bytes);
  routing::scratch memory{lent};
  return routing::shape_hash(command, memory);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto entries = fuzz::make_catalog({8, 0});
  static const auto old_entries = fuzz::make_catalog({6, 0});
  if (size < wire::limits::header_bytes + 1) return 0;
  const std::size_t piece = 1 + data[0];
  const auto given_bytes = std::as_bytes(std::span{data + 1, size - 1});
  std::vector<std::byte> message{given_bytes.begin(), given_bytes.end()};
  wire::store_little(message.data(), static_cast<std::int32_t>(message.size()));
  const auto name = wire::name_of_command(message);
  if (!name) return 0;
  wire::message_digest digest{routing::digest_rules_for(*name, *entries)};
  for (bytes_view rest = message; !rest.empty();) {
    const auto taken = rest.first(std::min(piece, rest.size()));
    const std::size_t before = digest.kept().size();
    if (!digest.feed(taken)) break;
    require(digest.kept().size() <= before + taken.size() + wire::message_digest::slack_bytes);
    rest = rest.subspan(taken.size());
  }
  const auto given = command_in(message);
  // For malformed input, the digest may accept more or less than a reader that looks only at
  // the deciding fields.
  if (!given) return 0;
  const soundness found = look_at(*given);
  if (!found.is_sound) return 0;
  // A digest takes no token that may be a document or a text, though only one leads to an end.
  if (digest.error() == wire::wire_errc::unknown_section && !digest.is_valid_so_far()) return 0;
  require(digest.is_whole());
  const auto kept = command_in(digest.kept());
  require(kept.has_value());
  require_alike(*given, *kept, *entries);
  require_alike(*given, *kept, *old_entries);
  if (found.is_plain) require(shape_of(*given) == shape_of(*kept));
  return 0;
}
