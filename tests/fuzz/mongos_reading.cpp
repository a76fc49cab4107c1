#include "tests/fuzz/mongos_reading.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <set>
#include <vector>

#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

namespace scattergate::fuzz {
namespace {

constexpr std::size_t header_size = 16;
constexpr std::int64_t max_message = 48'000'000;
constexpr std::int64_t max_document = 16'793'600;  // BSONObjMaxInternalSize
constexpr std::size_t max_levels = 200;            // BSONDepth::kDefaultMaxAllowableDepth

/// mongos answers with an error.
struct refused {};

/// Reads a buffer from front to back; throws `refused` beyond its end.
class input {
 public:
  explicit input(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  std::string_view skip(std::int64_t count) {
    if (count < 0 || count > static_cast<std::int64_t>(rest_.size())) throw refused{};
    const auto taken = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  int byte() { return static_cast<unsigned char>(skip(1).front()); }
  std::int64_t int32() {
    std::uint32_t value = 0;
    for (int shift = 0; shift != 32; shift += 8) {
      value |= static_cast<std::uint32_t>(byte()) << shift;
    }
    return std::bit_cast<std::int32_t>(value);
  }
  std::string_view text() {
    const std::size_t end = rest_.find('\0');
    if (end == rest_.npos) throw refused{};
    const auto taken = skip(static_cast<std::int64_t>(end));
    skip(1);
    return taken;
  }

 private:
  std::string_view rest_;
};

std::string_view document(input& from, std::size_t level);

/// A string with its length and its NUL.
void string(input& from) {
  const std::int64_t length = from.int32();
  if (length < 1 || from.skip(length).back() != '\0') throw refused{};
}

/// Passes one value of BSON (bson_validate.cpp: kTypeInfoTable, _validateSpecial).
void value(input& from, int type, std::size_t level) {
  switch (type) {
    case 0x01:  // double
    case 0x09:  // date
    case 0x11:  // timestamp
    case 0x12:  // long
      from.skip(8);
      return;
    case 0x02:  // string
    case 0x0d:  // code
    case 0x0e:  // symbol
      return string(from);
    case 0x03:
    case 0x04:
      document(from, level + 1);
      return;
    case 0x05: {  // binary: length, subtype, and nothing more is looked at
      const std::int64_t length = from.int32();
      from.skip(1);
      from.skip(length);
      return;
    }
    case 0x06:  // undefined
    case 0x0a:  // null
    case 0x7f:  // MaxKey
    case 0xff:  // MinKey
      return;
    case 0x07:
      from.skip(12);
      return;
    case 0x08:
      if (from.byte() > 1) throw refused{};
      return;
    case 0x0b:
      from.text();
      from.text();
      return;
    case 0x0c:  // DBPointer
      string(from);
      from.skip(12);
      return;
    case 0x0f: {  // code with scope: all of it, code, scope
      const std::size_t before = from.rest().size();
      const std::int64_t whole = from.int32();
      string(from);
      document(from, level + 2);
      if (whole != static_cast<std::int64_t>(before - from.rest().size())) throw refused{};
      return;
    }
    case 0x10:
      from.skip(4);
      return;
    case 0x13:
      from.skip(16);
      return;
    default:
      throw refused{};
  }
}

/// Skips a document that is valid on every level; returns its bytes.
std::string_view document(input& from, std::size_t level) {
  if (level > max_levels) throw refused{};
  const std::string_view begin = from.rest();
  const std::int64_t length = input{begin}.int32();
  if (length < 5 || length > max_document) throw refused{};
  const std::string_view bytes = from.skip(length);
  if (bytes.back() != '\0') throw refused{};
  input fields{bytes.substr(4, bytes.size() - 5)};
  while (!fields.at_end()) {
    const int type = fields.byte();
    if (type == 0) throw refused{};  // an end before the end
    fields.text();
    value(fields, type, level);
  }
  return bytes;
}

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char each : bytes) {
    crc ^= static_cast<unsigned char>(each);
    for (int bit = 0; bit != 8; ++bit) crc = (crc >> 1U) ^ (0x82f63b78U & (0U - (crc & 1U)));
  }
  return ~crc;
}

/// The message in an OP_COMPRESSED, its new header first.
std::string unpack(std::string_view message) {
  input from{message.substr(header_size)};
  const std::int64_t opcode = from.int32();
  const std::int64_t size = from.int32();
  const int by = from.byte();
  const std::string_view payload = from.rest();
  if (size < 0 || size + static_cast<std::int64_t>(header_size) > max_message) throw refused{};
  std::string body(static_cast<std::size_t>(size), '\0');
  switch (by) {
    case 1: {
      std::size_t claimed = 0;
      if (!snappy::GetUncompressedLength(payload.data(), payload.size(), &claimed) ||
          claimed != body.size() ||
          !snappy::RawUncompress(payload.data(), payload.size(), body.data())) {
        throw refused{};
      }
      break;
    }
    case 2: {
      uLongf made = body.size();
      if (uncompress(reinterpret_cast<Bytef*>(body.data()), &made,
                     reinterpret_cast<const Bytef*>(payload.data()), payload.size()) != Z_OK) {
        throw refused{};
      }
      // mongos takes a shorter stream too, and then reads what its memory held before.
      if (made != body.size()) throw refused{};
      break;
    }
    case 3:
      if (ZSTD_decompress(body.data(), body.size(), payload.data(), payload.size()) !=
          body.size()) {
        throw refused{};
      }
      break;
    default:
      throw refused{};
  }
  std::string whole(message.substr(0, header_size));
  const auto put = [&](std::size_t at, std::int64_t number) {
    for (std::size_t i = 0; i != 4; ++i) {
      whole[at + i] = static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i));
    }
  };
  put(0, size + static_cast<std::int64_t>(header_size));
  put(12, opcode);
  return whole + body;
}

/// The fields of a valid document, each as name, type and value.
struct field {
  std::string_view name;
  int type = 0;
  std::string_view bytes;
};
std::vector<field> fields_of(std::string_view document) {
  std::vector<field> all;
  input from{document.substr(4, document.size() - 5)};
  while (!from.at_end()) {
    field one;
    one.type = from.byte();
    one.name = from.text();
    const std::string_view before = from.rest();
    value(from, one.type, 0);
    one.bytes = before.substr(0, before.size() - from.rest().size());
    all.push_back(one);
  }
  return all;
}

std::string text_of(const field& one) {
  if (one.type != 0x02) return {};
  return std::string{one.bytes.substr(4, one.bytes.size() - 5)};
}

mongos_reading command_in(std::string_view body) {
  mongos_reading read;
  read.body = body;
  std::set<std::string_view> names;
  bool has_filter = false;
  for (const field& one : fields_of(body)) {
    if (names.empty()) {
      read.command = one.name;
      read.collection = text_of(one);
    }
    if (!names.insert(one.name).second) throw refused{};  // versions differ
    if (one.name == "$db") {
      if (one.type != 0x02) throw refused{};
      read.database = text_of(one);
    }
    if (!has_filter && (one.name == "filter" || one.name == "query")) {
      has_filter = true;
      read.filter = static_cast<char>(one.type) + std::string{one.bytes};
    }
  }
  if (names.empty()) throw refused{};
  return read;
}

/// An OP_MSG.
mongos_reading read_msg(std::string_view message) {
  input from{message.substr(header_size)};
  const auto flags = static_cast<std::uint32_t>(from.int32());
  constexpr std::uint32_t checksum_present = 1;
  constexpr std::uint32_t known = 3;
  if ((flags & 0xffffU & ~known) != 0) throw refused{};
  std::string_view sections = from.rest();
  if ((flags & checksum_present) != 0) {
    if (sections.size() < 4) throw refused{};
    const auto sent = input{sections.substr(sections.size() - 4)}.int32();
    const auto made = crc32c(message.substr(0, message.size() - 4));
    if (std::bit_cast<std::int32_t>(made) != sent) throw refused{};
    sections.remove_suffix(4);
  }
  std::optional<std::string_view> body;
  std::set<std::string_view> sequences;
  for (input rest{sections}; !rest.at_end();) {
    const int kind = rest.byte();
    if (kind == 0) {
      if (body) throw refused{};
      body = document(rest, 0);
    } else if (kind == 1) {
      input sequence{rest.skip(rest.int32() - 4)};
      if (!sequences.insert(sequence.text()).second || sequences.size() > 2) throw refused{};
      while (!sequence.at_end()) document(sequence, 0);
    } else {
      throw refused{};
    }
  }
  if (!body) throw refused{};
  mongos_reading read = command_in(*body);
  for (const field& one : fields_of(*body)) {
    if (sequences.contains(one.name)) throw refused{};
  }
  return read;
}

}  // namespace

std::optional<mongos_reading> read_as_mongos(std::string_view message) try {
  constexpr std::int64_t op_compressed = 2012;
  constexpr std::int64_t op_msg = 2013;
  if (message.size() < header_size) return std::nullopt;
  const auto opcode_of = [](std::string_view of) { return input{of.substr(12)}.int32(); };
  if (input{message}.int32() != static_cast<std::int64_t>(message.size())) return std::nullopt;
  if (opcode_of(message) == op_msg) return read_msg(message);
  if (opcode_of(message) != op_compressed) return std::nullopt;
  const std::string unpacked = unpack(message);
  if (opcode_of(unpacked) != op_msg) return std::nullopt;
  return read_msg(unpacked);
} catch (const refused&) {
  return std::nullopt;
}

}  // namespace scattergate::fuzz
