#include "bench/request.hpp"

#include <array>
#include <stdexcept>

#include "config/text/extended_json.hpp"
#include "wire/endian.hpp"

namespace scattergate::bench {
namespace {

constexpr std::string_view session =
    R"("lsid": {"id": {"$binary": {"base64": "c//SZESzTGmQ6OfR38A11A==", "subType": "04"}}},
       "$clusterTime": {"clusterTime": {"$timestamp": {"t": 1700000000, "i": 1}}, "signature":
         {"hash": {"$binary": {"base64": "AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "subType": "00"}},
          "keyId": {"$numberLong": "7000000000000000001"}}})";

std::vector<std::byte> bson_of(std::string_view json) {
  auto document = config::bson_of_json(json);
  if (!document) throw std::invalid_argument(std::string{json} + ": " + document.error().what);
  return std::move(document->bytes);
}

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void append_int32(std::vector<std::byte>& to, std::size_t value) {
  std::array<std::byte, 4> bytes;
  wire::store_little(bytes.data(), static_cast<std::int32_t>(value));
  append(to, bytes);
}

/// A section of kind 1.
void append_sequence(std::vector<std::byte>& to, const json_sequence& sequence) {
  std::vector<std::byte> inside;
  append(inside, std::as_bytes(std::span{sequence.name}));
  inside.push_back(std::byte{0});
  for (const std::string& document : sequence.documents) append(inside, bson_of(document));
  to.push_back(std::byte{1});
  append_int32(to, sizeof(std::int32_t) + inside.size());
  append(to, inside);
}

}  // namespace

request::request(std::string_view fields, const json_sequence& sequence,
                 std::string_view database)
    : message_(wire::limits::header_bytes) {
  append_int32(message_, 0);         // no flags
  message_.push_back(std::byte{0});  // the body's section
  append(message_, bson_of("{" + std::string{fields} + ", " + std::string{session} +
                           R"(, "$db": ")" + std::string{database} + "\"}"));
  if (!sequence.documents.empty()) append_sequence(message_, sequence);
  header_ = {static_cast<std::int32_t>(message_.size()), 1, 0, wire::opcode::msg};
  wire::serialize_header(header_, std::span{message_}.first<wire::limits::header_bytes>());
  command_ = wire::parse_command(header_, message_).value();
}

}  // namespace scattergate::bench
