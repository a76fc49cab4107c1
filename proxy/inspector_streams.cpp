// Large inserts, which pass while they come in.

#include <algorithm>
#include <memory>

#include "proxy/flow_buffer.hpp"
#include "proxy/inspector.hpp"
#include "routing/insert_fields.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::proxy {
namespace {

/// What is kept of an insert at most: ids and shard keys of 100,000 documents, mongos's most in
/// a batch, take about that. In bytes.
constexpr std::size_t most_kept = 4UL * 1024 * 1024;

/// For what stands beside the documents, in bytes.
constexpr std::size_t body_room = 64UL * 1024;

}  // namespace

std::unique_ptr<streamed_insert> inspector::begin_streaming(const wire::message_header& header,
                                                            std::span<const std::byte> start) {
  const auto length = static_cast<std::size_t>(header.length);
  if (header.op != wire::opcode::msg || length <= block_pool::block_bytes) return nullptr;
  if (settings_->rules.may_reject()) return nullptr;
  const auto collection = wire::insert_target(start);
  if (!collection) return nullptr;
  const std::size_t most = std::min(length, most_kept) + body_room;
  auto share = budget_share::of(memory_, most);
  if (!share) return nullptr;
  return std::make_unique<streamed_insert>(streamed_insert{
      wire::insert_digest{routing::insert_fields(*settings_->catalog, *collection), most},
      std::move(*share)});
}

inspection inspector::inspect_streamed(const wire::message_header& header,
                                       const streamed_insert& insert,
                                       const inspected_connection& connection,
                                       clock::time_point now) {
  const auto give_up = [&](wire::wire_errc error) {
    metrics_.count_uninspected(error);
    return relay(header, insert.digest.kept());
  };
  if (!insert.digest.is_whole()) return give_up(wire::wire_errc::too_large);
  const auto kept = insert.digest.header();
  const auto command = wire::parse_command(kept, insert.digest.kept());
  if (!command) return give_up(command.error());
  return inspect_command(kept, *command, connection, now, {nullptr, {}, true});
}

}  // namespace scattergate::proxy
