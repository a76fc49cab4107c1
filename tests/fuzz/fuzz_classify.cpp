#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "routing/classify.hpp"
#include "wire/command.hpp"

/// Whatever a command holds, its verdict is consistent, comes out the same twice, and with
/// little scratch differs only where it says that it was widened. The input is one message,
/// header included; the collections are db.a, db.b and db.c.
namespace {

using namespace scattergate;

void require(bool condition) {
  if (!condition) std::abort();
}

/// {MinKey... 0} and {0 ... MaxKey} of a key, as BSON.
std::vector<std::byte> bound_of(const std::vector<routing::key_field>& key, char type) {
  std::string fields;
  for (const routing::key_field& field : key) {
    fields.push_back(type);
    fields += field.path;
    fields.push_back('\0');
    if (type == '\x12') fields.append(8, '\0');
  }
  const auto size = static_cast<std::uint32_t>(fields.size() + 5);
  std::string whole{reinterpret_cast<const char*>(&size), sizeof size};
  whole += fields;
  whole.push_back('\0');
  const auto bytes = std::as_bytes(std::span{whole});
  return {bytes.begin(), bytes.end()};
}

void add(routing::catalog_builder& builder, std::string name,
         std::vector<routing::key_field> key) {
  const auto low = bound_of(key, '\xff');
  const auto middle = bound_of(key, '\x12');
  const auto high = bound_of(key, '\x7f');
  const auto view = [](const std::vector<std::byte>& bytes) {
    return wire::document_view::from(bytes).value();
  };
  routing::collection entry;
  entry.database = "db";
  entry.name = std::move(name);
  entry.key = std::move(key);
  for (std::size_t i = 0; i < entry.key.size(); ++i) {
    if (entry.key[i].hashed) entry.hashed_field = static_cast<int>(i);
  }
  require(!builder.add(std::move(entry)));
  require(!builder.add_chunk(view(low), view(middle), "0"));
  require(!builder.add_chunk(view(middle), view(high), "1"));
  require(!builder.finish_collection());
}

std::shared_ptr<const routing::catalog> make_catalog() {
  routing::catalog_builder builder;
  add(builder, "a", {{"a", false}});
  add(builder, "b", {{"a", true}, {"b", false}});
  add(builder, "c", {{"a.b", false}, {"_id", false}});
  return builder.build();
}

void require_consistent(const routing::verdict& verdict) {
  const auto statements =
      std::accumulate(verdict.statements.begin(), verdict.statements.end(), 0U);
  require(statements > 0 || verdict.routing == routing::routing_class::unsharded);
  if (verdict.fanout) require(verdict.fanout->size() >= 1 && verdict.fanout->size() <= 2);
  const bool is_one = verdict.routing == routing::routing_class::single_shard;
  if (is_one && statements == 1 && verdict.fanout) require(verdict.fanout->size() == 1);
}

/// What must not change from one judgement to the next.
struct essence {
  routing::routing_class routing;
  routing::bounds_kind bounds;
  routing::reason why;
  std::uint64_t missing;
  std::uint64_t fanout;
  friend bool operator==(const essence&, const essence&) = default;
};

essence essence_of(const routing::verdict& verdict) {
  return {verdict.routing, verdict.bounds, verdict.why, verdict.missing,
          verdict.fanout ? verdict.fanout->words()[0] : 0};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto entries = make_catalog();
  const auto whole = std::as_bytes(std::span{data, size});
  if (size < wire::limits::header_bytes) return 0;
  const auto header = wire::parse_header(whole.first<wire::limits::header_bytes>());
  if (!header) return 0;
  const auto command = wire::parse_command(*header, whole);
  if (!command) return 0;

  static std::vector<std::byte> block(routing::scratch_bytes);
  routing::scratch memory{block};
  const routing::verdict first = routing::classify(*command, *entries, memory);
  require_consistent(first);
  const essence told = essence_of(first);
  require(told == essence_of(routing::classify(*command, *entries, memory)));

  // A block of its own, so that a step beyond it is seen.
  std::vector<std::byte> little(size % 512);
  routing::scratch cramped{little};
  const routing::verdict again = routing::classify(*command, *entries, cramped);
  require(again.widened || told == essence_of(again));
  return 0;
}
