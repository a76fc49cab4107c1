// The part of inspector for large requests, which pass while they come in.

#include <utility>

#include "proxy/flow_buffer.hpp"
#include "proxy/judging/inspector.hpp"
#include "proxy/judging/streamed_request.hpp"

namespace scattergate::proxy {

std::unique_ptr<streamed_request> inspector::begin_streaming(const request_view& request) {
  const auto& header = request.header;
  const auto length = static_cast<std::size_t>(header.length);
  if (header.op != wire::opcode::msg || length <= block_pool::block_bytes) return nullptr;
  if (settings_->rules.may_hold_up()) return nullptr;
  const auto command = wire::name_of_command(request.bytes);
  // What tells who the client is is read as a whole, however large.
  if (!command || is_about_client(routing::kind_of(*command))) return nullptr;
  return std::make_unique<streamed_request>(header, request.bytes, *command, settings_,
                                            request.connection.memory);
}

inspection inspector::inspect_streamed(const streamed_request& request,
                                       const large_judgement* judged,
                                       const inspected_connection& connection,
                                       clock::time_point now) {
  return under(request.begun_under(),
               [&] { return inspect_digest(request, judged, connection, now); });
}

inspection inspector::inspect_digest(const streamed_request& request,
                                     const large_judgement* judged,
                                     const inspected_connection& connection,
                                     clock::time_point now) {
  timer_.start();
  const auto& digest = request.digest();
  const auto give_up = [&](wire::wire_errc error) {
    return decide_unread({request.header(), request.head(), connection, now}, error, false);
  };
  if (const auto is_good = request.has_good_checksum()) metrics_.count_checksum(*is_good);
  if (!digest.is_whole()) return give_up(digest.error());
  work_ = wire::work_budget::for_message(static_cast<std::size_t>(request.header().length));
  const auto kept = digest.header();
  const auto command =
      judged != nullptr ? judged->reading().command : wire::parse_command(kept, digest.kept());
  if (!command) return give_up(command.error());
  return inspect_command({kept, {}, connection, now}, *command,
                         {nullptr, judged, true, digest.kept()});
}

}  // namespace scattergate::proxy
