// The part of inspector for large requests, which another thread judges.

#include <utility>

#include "proxy/judging/inspector.hpp"

namespace scattergate::proxy {

std::unique_ptr<large_judgement> inspector::begin_judging(const request_view& request) {
  const std::size_t came = request.bytes.size();
  if (request.header.op == wire::opcode::compressed) {
    auto unpacked = unpack(request);
    if (!unpacked) return nullptr;
    return std::make_unique<large_judgement>(std::move(*unpacked), came, settings_);
  }
  if (memo_.find(request.bytes) != nullptr) return nullptr;
  return std::make_unique<large_judgement>(request.header, request.bytes, came, settings_);
}

std::unique_ptr<large_judgement> inspector::begin_judging(const streamed_request& request) {
  const auto& digest = request.digest();
  if (!digest.is_whole() || digest.kept().size() <= large_judgement::least_bytes) {
    return nullptr;
  }
  return std::make_unique<large_judgement>(digest.header(), digest.kept(),
                                           static_cast<std::size_t>(request.header().length),
                                           request.begun_under());
}

inspection inspector::inspect(const request_view& request, const large_judgement& judged) {
  return under(judged.begun_under(), [&]() -> inspection {
    const bool is_packed = request.header.op == wire::opcode::compressed;
    const request_view whole{judged.header(), judged.message(), request.connection,
                             request.now};
    if (is_packed && request.connection.guards_x509) {
      if (auto refused = guard_x509(whole)) return std::move(*refused);
    }
    return inspect_read(whole, judged.reading(), {nullptr, &judged});
  });
}

}  // namespace scattergate::proxy
