#include <cstdint>
#include <span>
#include <string_view>

#include "proxy/judging/x509_guard.hpp"
#include "tests/fuzz/require.hpp"
#include "wire/command.hpp"

/// Whatever a client sends: what mongos would read as MONGODB-X509 is never harmless, and what
/// the beginning of a message says of it stays true when more of it has come. The input is one
/// message, header included.
namespace {

using scattergate::fuzz::require;
using namespace scattergate;
using proxy::x509_answer;

bool starts_x509(wire::document_view start) {
  const auto mechanism = wire::find_field(start, "mechanism");
  return mechanism && mechanism->is_string() && mechanism->as_string() == "MONGODB-X509";
}

/// The plain way to tell, of a message that is as it should be.
bool is_x509(const wire::command& command) {
  if (command.name == "authenticate" || command.name == "saslStart") {
    return starts_x509(command.body);
  }
  if (command.name != "hello" && command.name != "isMaster" && command.name != "ismaster") {
    return false;
  }
  const auto field = wire::find_field(command.body, "speculativeAuthenticate");
  const auto start = field ? field->as_container() : std::nullopt;
  return start && starts_x509(*start);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span{data, size});
  if (size < wire::limits::header_bytes) return 0;
  const auto header = wire::parse_header(input.first<wire::limits::header_bytes>());
  if (!header || static_cast<std::size_t>(header->length) > size) return 0;
  const auto whole = input.first(static_cast<std::size_t>(header->length));
  const x509_answer answer = proxy::look_for_x509(*header, whole);
  if (const auto command = wire::parse_command(*header, whole); command && is_x509(*command)) {
    require(answer != x509_answer::harmless);
  }
  for (std::size_t part = wire::limits::header_bytes; part < whole.size(); ++part) {
    const auto early = proxy::look_for_x509(*header, whole.first(part));
    require(early == x509_answer::unclear || early == answer);
  }
  return 0;
}
