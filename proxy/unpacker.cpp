#include "proxy/unpacker.hpp"

#include <new>
#include <utility>

namespace scattergate::proxy {

budgeted_block unpacker::take_block(std::size_t bytes) {
  if (!budget_.take(bytes)) return nullptr;
  budgeted_block taken{new (std::nothrow) std::byte[bytes], {&budget_, bytes}};
  if (!taken) budget_.give_back(bytes);
  return taken;
}

wire::result<unpacked_message> unpacker::unpack(const wire::message_header& header,
                                                std::span<const std::byte> message) {
  const auto packed = wire::parse_op_compressed(header, message);
  if (!packed) return packed.error();
  if (!tools_) tools_.reset(new tools);  // its block stays uninitialised
  const auto size = static_cast<std::size_t>(packed->original.length);
  unpacked_message unpacked;
  std::span<std::byte> scratch{tools_->block};
  if (size > scratch.size()) {
    unpacked.own = take_block(size);
    if (!unpacked.own) return wire::wire_errc::too_large;
    scratch = {unpacked.own.get(), size};
  }
  const auto bytes = tools_->decompressor.unpack(*packed, scratch);
  if (!bytes) return bytes.error();
  unpacked.header = packed->original;
  unpacked.bytes = *bytes;
  return unpacked;
}

}  // namespace scattergate::proxy
