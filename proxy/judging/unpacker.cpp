#include "proxy/judging/unpacker.hpp"

#include <new>
#include <utility>

namespace scattergate::proxy {
namespace {

/// Whether a message is small enough to decompress in one call. `bytes`: its decompressed size.
bool is_small(std::size_t bytes, std::size_t packed_bytes) noexcept {
  return bytes <= unpacker::bytes_at_once && packed_bytes <= unpacker::packed_bytes_at_once;
}

budgeted_block take_block(std::size_t bytes, std::size_t more, telemetry::memory_share& share) {
  if (!share.reserve(bytes + more)) return nullptr;
  budgeted_block taken{new (std::nothrow) std::byte[bytes], {&share, bytes + more}};
  if (!taken) share.release(bytes + more);
  return taken;
}

}  // namespace

gradual_unpacking::gradual_unpacking(std::span<const std::byte> message,
                                     const wire::op_compressed& packed, budgeted_block room)
    : message_(message),
      original_(packed.original),
      room_(std::move(room)),
      steps_(packed.by, packed.body_bytes()) {
  wire::serialize_header(original_, std::span<std::byte, wire::limits::header_bytes>{
                                        room_.get(), wire::limits::header_bytes});
}

bool gradual_unpacking::advance(judging_memory& /*memory*/) noexcept {
  constexpr std::uint64_t piece_units = 10'000'000;
  const std::span<std::byte> body =
      std::span{room_.get(), static_cast<std::size_t>(original_.length)}.subspan(
          wire::limits::header_bytes);
  for (std::uint64_t done = 0; done < piece_units && !is_over(); done += steps_.cost()) {
    at_ = steps_.advance(wire::payload_of(message_), body);
  }
  return is_over();
}

wire::result<unpacked_message> gradual_unpacking::unpacked() const {
  if (at_ != wire::stepwise_decompressor::state::done) return wire::wire_errc::bad_compression;
  unpacked_message whole;
  whole.header = original_;
  whole.bytes = {room_.get(), static_cast<std::size_t>(original_.length)};
  return whole;
}

std::unique_ptr<gradual_unpacking> unpacker::begin(const wire::message_header& header,
                                                   std::span<const std::byte> message,
                                                   telemetry::memory_share& share) {
  const std::size_t claimed = wire::claimed_bytes(message);
  if (is_small(claimed, message.size())) return nullptr;
  const auto packed = wire::parse_op_compressed(header, message);
  if (!packed) return nullptr;
  const auto size = static_cast<std::size_t>(packed->original.length);
  auto room = take_block(
      size, wire::stepwise_decompressor::memory_bytes(packed->by, packed->body_bytes()), share);
  if (!room) return nullptr;
  return std::make_unique<gradual_unpacking>(message, *packed, std::move(room));
}

wire::result<unpacked_message> unpacker::unpack(const wire::message_header& header,
                                                std::span<const std::byte> message,
                                                telemetry::memory_share& share) {
  const auto packed = wire::parse_op_compressed(header, message);
  if (!packed) return packed.error();
  const auto size = static_cast<std::size_t>(packed->original.length);
  if (!is_small(size, message.size())) return wire::wire_errc::too_large;
  if (!tools_) tools_.reset(new tools);  // without (), so that its block isn't zeroed
  unpacked_message unpacked;
  std::span<std::byte> scratch{tools_->block};
  if (size > scratch.size()) {
    unpacked.own = take_block(size, 0, share);
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
