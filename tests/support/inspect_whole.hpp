#pragma once

#include <utility>

#include "proxy/judging/inspector.hpp"

namespace scattergate::tests {

/// Has the inspector `by` judge a complete request, as a session does
/// (proxy/session/request_side). Decompresses the request if necessary, and judges a large one
/// in several steps. `lent`: memory for judging.
inline proxy::inspection inspect_whole(proxy::inspector& by, const proxy::request_view& request,
                                       proxy::judging_memory& lent) {
  const auto judge = [&](const proxy::request_view& read, proxy::budgeted_block block) {
    const auto large =
        proxy::inspector::is_large(read) ? by.begin_judging(read, block) : nullptr;
    if (!large) return by.inspect(read);
    while (!large->advance(lent)) {
    }
    return by.inspect(read, *large);
  };
  if (request.header.op != wire::opcode::compressed) return judge(request, nullptr);
  const auto gradually = by.begin_unpacking(request);
  while (gradually && !gradually->advance(lent)) {
  }
  auto unpacked = by.unpack(request, gradually.get());
  if (!unpacked) return by.pass_unread(request, unpacked.error());
  return judge(request.as(*unpacked), std::move(unpacked->own));
}

}  // namespace scattergate::tests
