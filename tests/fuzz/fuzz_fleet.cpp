#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "digest/stored.hpp"
#include "fleet/documents.hpp"
#include "fleet/stored_ledger.hpp"
#include "tests/fuzz/require.hpp"
#include "wire/bson.hpp"

/// The input is a document of the fleet's database, in which every sidecar may write, and a
/// ledger in a state file: each is read or refused, and what is read is written again and read
/// as the same.
namespace {

using scattergate::fuzz::require;
using namespace scattergate;

void check_row(const digest::row& read) {
  std::string text;
  digest::append_stored(text, read);
  require(digest::stored_row(text).has_value());
}

void check_document(wire::document_view document) {
  if (const auto shape = fleet::read_shape(document)) check_row(shape->row);
  if (const auto caller = fleet::read_caller(document)) check_row(caller->row);
  (void)fleet::read_sidecar(document);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = wire::document_view::from(std::as_bytes(std::span{data, size}));
  if (document) check_document(*document);
  const auto ledger = fleet::read_stored_ledger({reinterpret_cast<const char*>(data), size});
  if (ledger) {
    const auto again = fleet::read_stored_ledger(fleet::stored_text(*ledger));
    require(again && *again == *ledger);
  }
  return 0;
}
