#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "wire/command.hpp"
#include "wire/insert_digest.hpp"
#include "wire/op_msg.hpp"

/// An insert that is followed as its bytes pass is kept so that it parses, with as many
/// documents and the same wanted fields, however the bytes come. The input is one message whose
/// first byte is not part of it: it says how the message is cut.
namespace {

using namespace scattergate::wire;

constexpr std::size_t max_kept = 1 << 16;

void require(bool condition) {
  if (!condition) std::abort();
}

/// What is wanted of the documents of a command, end to end; nothing where one is corrupt.
struct wanted_parts {
  std::size_t documents = 0;
  std::vector<std::byte> values;
  bool is_sound = true;
};

bool is_wanted(std::string_view name) {
  return name == "_id" || name == "k";
}

void note(document_view document, wanted_parts& parts) {
  ++parts.documents;
  document_reader reader{document};
  for (element field; reader.next(field);) {
    if (!is_wanted(field.key())) continue;
    parts.values.insert(parts.values.end(), field.value().begin(), field.value().end());
  }
  if (reader.is_corrupt()) parts.is_sound = false;
}

wanted_parts parts_of(const op_msg& message) {
  wanted_parts parts;
  for (const document_sequence& sequence : message.sequences) {
    sequence_reader reader{sequence.documents};
    for (document_view one; reader.next(one);) note(one, parts);
    if (reader.is_corrupt()) parts.is_sound = false;
  }
  return parts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < limits::header_bytes + 1) return 0;
  const std::size_t piece = 1 + data[0];
  const auto message = std::as_bytes(std::span{data + 1, size - 1});
  static_cast<void>(insert_target(message));
  insert_digest digest{{"_id", "k"}, max_kept};
  for (auto rest = message; !rest.empty();) {
    const auto taken = rest.first(std::min(piece, rest.size()));
    if (!digest.feed(taken)) break;
    rest = rest.subspan(taken.size());
  }
  require(digest.kept().size() <= max_kept + message.size());
  if (!digest.is_whole()) return 0;
  const auto header = parse_header(message.first<limits::header_bytes>());
  require(header.has_value());
  const auto original = parse_op_msg(*header, message);
  if (!original) return 0;  // the digest is the more lenient of the two
  const wanted_parts before = parts_of(*original);
  const auto kept = parse_op_msg(digest.header(), digest.kept());
  if (!before.is_sound) return 0;
  require(kept.has_value());
  const wanted_parts after = parts_of(*kept);
  require(after.documents == before.documents && after.values == before.values);
  return 0;
}
