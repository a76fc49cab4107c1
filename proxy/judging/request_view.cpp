#include "proxy/judging/request_view.hpp"

#include <cstdint>

#include "wire/endian.hpp"
#include "wire/limits.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::proxy {

expected_replies expect_replies(const request_view& request) noexcept {
  constexpr expected_replies unknown{true, true, true};
  switch (request.header.op) {
    case wire::opcode::query:
      return {true, false, false};
    case wire::opcode::compressed:
      return unknown;
    case wire::opcode::get_more:
      return {true, true, false};
    case wire::opcode::msg: {
      if (request.bytes.size() < wire::limits::op_msg_head_bytes) return unknown;
      const auto flags =
          wire::load_little<std::uint32_t>(request.bytes.data() + wire::limits::header_bytes);
      return {(flags & wire::msg_flag::more_to_come) == 0, false,
              (flags & wire::msg_flag::exhaust_allowed) != 0};
    }
    default:
      return {};
  }
}

}  // namespace scattergate::proxy
