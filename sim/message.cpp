#include "sim/message.hpp"

#include <limits>

#include "sim/execution/arguments.hpp"
#include "sim/values/bson_codec.hpp"
#include "sim/values/error.hpp"
#include "wire/command.hpp"
#include "wire/compressed.hpp"

namespace scattergate::sim {
namespace {

std::int32_t request_ids = 0;

void add_sequence(document& body, const wire::document_sequence& sequence,
                  wire::inspect_budget& budget) {
  array members;
  wire::sequence_reader reader{sequence.documents};
  for (wire::document_view each; reader.next(each);) members.emplace_back(decode(each, budget));
  if (reader.is_corrupt()) refuse("broken document sequence");
  if (body.has(sequence.identifier)) refuse(40433, "Duplicate field between body and sequence");
  body.append(sequence.identifier, std::move(members));
}

}  // namespace

std::int32_t last_request_id() noexcept {
  return request_ids;
}

std::optional<received> read_message(const wire::message_header& header,
                                     std::span<const std::byte> message) {
  const auto parsed = wire::parse_command(header, message);
  if (!parsed) {
    const bool readable = parsed.error() == wire::wire_errc::duplicate_field ||
                          parsed.error() == wire::wire_errc::too_many_nodes ||
                          parsed.error() == wire::wire_errc::bad_bson;
    if (header.op != wire::opcode::msg || !readable) return std::nullopt;
    refuse("unreadable command: " + std::string{wire::label(parsed.error())});
  }
  received out;
  out.header = header;
  out.wants_reply = !parsed->more_to_come;
  out.in.name = parsed->name;
  out.in.db = parsed->database;
  out.in.exhaust_allowed = parsed->exhaust_allowed;
  wire::inspect_budget budget{decode_nodes, decode_depth};
  out.in.body = decode(parsed->body, budget);
  for (const wire::document_sequence& each : parsed->sequences) {
    add_sequence(out.in.body, each, budget);
  }
  return out;
}

std::string write_reply(const wire::message_header& request, std::int32_t response_to,
                        const document& body, bool more) {
  std::string out(wire::limits::header_bytes, '\0');
  const bool legacy = request.op == wire::opcode::query;
  if (legacy) {
    append_little(out, std::uint32_t{8});  // AwaitCapable
    append_little(out, std::int64_t{0});
    append_little(out, std::int32_t{0});
    append_little(out, std::int32_t{1});
  } else {
    append_little(out, more ? wire::msg_flag::more_to_come : std::uint32_t{0});
    out.push_back('\0');  // one section of kind 0
  }
  encode(body, out);
  const wire::message_header header{static_cast<std::int32_t>(out.size()), ++request_ids,
                                    response_to,
                                    legacy ? wire::opcode::reply : wire::opcode::msg};
  wire::serialize_header(
      header, std::as_writable_bytes(std::span{out}).first<wire::limits::header_bytes>());
  return out;
}

bool unpack(wire::message_header& header, std::vector<std::byte>& message,
            std::optional<wire::compressor>& algorithm) {
  static wire::decompressor decompressor;  // used by one thread only
  algorithm.reset();
  if (header.op != wire::opcode::compressed) return true;
  constexpr std::size_t any_ratio = std::numeric_limits<std::size_t>::max();
  const auto packed = wire::parse_op_compressed(header, message, any_ratio);
  if (!packed) return false;
  std::vector<std::byte> unpacked(static_cast<std::size_t>(packed->original.length));
  if (!decompressor.unpack(*packed, unpacked)) return false;
  header = packed->original;
  algorithm = packed->by;
  message = std::move(unpacked);
  return true;
}

std::string pack(const std::string& message, wire::compressor algorithm) {
  const auto packed = wire::compress(std::as_bytes(std::span{message}), algorithm);
  return {reinterpret_cast<const char*>(packed.data()), packed.size()};
}

}  // namespace scattergate::sim
