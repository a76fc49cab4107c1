#include "report/sources/capture/capture.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>

#include <pcap/pcap.h>
#include <stdio_ext.h>

#include "report/sources/capture/packet.hpp"
#include "report/sources/observer_thread.hpp"
#include "report/sources/source_times.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::report {

std::size_t tcp_connections::ends_hash::operator()(const ends& of) const noexcept {
  const auto hash_of = [](const tcp_end& one, std::uint64_t before) {
    const auto* const bytes = reinterpret_cast<const char*>(one.address.data());
    return wire::seeded_hash({bytes, one.address.size()}, before ^ one.port);
  };
  return hash_of(of.high, hash_of(of.low, 0));
}

/// The packet's connection, created if necessary; null if the packet doesn't justify that, such
/// as the last packet of an ended connection.
tcp_connections::table::entry* tcp_connections::entry_of(const ends& name,
                                                         const tcp_packet& packet) {
  if (auto* const known = open_.find(name)) return known;
  if (packet.bytes.empty() && !packet.begins) return nullptr;
  if (open_.size() >= most) close(open_.oldest());
  // The side with the higher port is taken for the client.
  const tcp_end& client = packet.from.port > packet.to.port ? packet.from : packet.to;
  return &open_.add(name, conversation{parts_, address_text(client)});
}

void tcp_connections::receive(const tcp_packet& packet, digest::wall_time at) {
  last_ = at;
  const bool is_from_low = packet.from < packet.to;
  const ends name = is_from_low ? ends{packet.from, packet.to} : ends{packet.to, packet.from};
  table::entry* const known = entry_of(name, packet);
  if (known == nullptr) return;
  connection& one = known->value;
  direction& way = one.ways[is_from_low ? 0 : 1];
  const tcp_stream::segment segment{packet.number, packet.begins, packet.bytes};
  if (way.stream.is_another(segment)) {  // a new connection with the same ports
    finish(one);
    one.ways = {};
    one.is_tls_reported = false;
  }
  if (packet.acknowledged) {
    // Before this packet's bytes: a reply may confirm a request that lies after a gap.
    tcp_stream& other = one.ways[is_from_low ? 1 : 0].stream;
    other.acknowledge(*packet.acknowledged);
    read(one, other, at);
  }
  way.stream.receive(segment);
  read(one, way.stream, at);
  way.has_ended = way.has_ended || packet.ends;
  count_held(one);
  if (one.ways[0].has_ended && one.ways[1].has_ended) return close(*known);
  if (held_bytes_ > most_held_bytes) free_memory(*known);
}

void tcp_connections::read(connection& one, tcp_stream& stream, digest::wall_time at) {
  for (auto message = stream.next(); !message.empty(); message = stream.next()) {
    one.talk.receive(message, at);
  }
  for (auto losses = stream.take_losses(); losses != 0; --losses) {
    receiver_.on_skipped(skip_reason::lost);
  }
  if (stream.what() == tcp_stream::content::tls && !std::exchange(one.is_tls_reported, true)) {
    receiver_.on_skipped(skip_reason::tls);
  }
}

void tcp_connections::count_held(connection& one) {
  const std::size_t now =
      one.ways[0].stream.held_bytes() + one.ways[1].stream.held_bytes() + one.talk.held_bytes();
  held_bytes_ += now - one.held_bytes;
  one.held_bytes = now;
}

void tcp_connections::free_memory(table::entry& in_use) {
  while (held_bytes_ > most_held_bytes && &open_.oldest() != &in_use) close(open_.oldest());
  if (held_bytes_ > most_held_by_one) close(in_use);
}

/// Processes what is left in both directions.
void tcp_connections::finish(connection& one) {
  for (direction& way : one.ways) {
    way.stream.finish();
    read(one, way.stream, last_);
    if (way.stream.what() != tcp_stream::content::messages) continue;
    counts_.seen += way.stream.counts().seen;
    counts_.missing += way.stream.counts().missing;
  }
  one.talk.finish();
}

void tcp_connections::close(table::entry& one) {
  finish(one.value);
  held_bytes_ -= one.value.held_bytes;
  open_.erase(one);
}

void tcp_connections::finish() {
  while (!open_.is_empty()) close(open_.oldest());
}

namespace {

constexpr int packets_a_step = 8192;

std::optional<link_kind> link_of(int type) {
  switch (type) {
    case DLT_EN10MB:
      return link_kind::ethernet;
    case DLT_LINUX_SLL:
      return link_kind::linux_cooked;
    case DLT_LINUX_SLL2:
      return link_kind::linux_cooked_2;
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
      return link_kind::raw;
    case DLT_NULL:
    case DLT_LOOP:
      return link_kind::loopback;
    default:
      return std::nullopt;
  }
}

/// The input as a C stream, as libpcap requires.
std::FILE* stream_of(input& from) {
  cookie_io_functions_t how{};
  how.read = [](void* cookie, char* room, std::size_t bytes) {
    return static_cast<ssize_t>(static_cast<input*>(cookie)->read({room, bytes}));
  };
  std::FILE* const stream = ::fopencookie(&from, "r", how);
  constexpr std::size_t block_bytes = 256UL << 10;
  if (stream == nullptr) return nullptr;
  std::setvbuf(stream, nullptr, _IOFBF, block_bytes);
  __fsetlocking(stream, FSETLOCKING_BYCALLER);  // used by one thread only, a packet at a time
  return stream;
}

double missing_share(const tcp_stream::byte_counts& of) {
  if (of.missing == 0) return 0;
  return static_cast<double>(of.missing) / static_cast<double>(of.seen + of.missing);
}

struct pcap_closer {
  void operator()(pcap_t* capture) const noexcept { pcap_close(capture); }
};

}  // namespace

bool is_capture(std::string_view begins) noexcept {
  using namespace std::string_view_literals;
  for (const auto magic : {"\xd4\xc3\xb2\xa1"sv, "\xa1\xb2\xc3\xd4"sv, "\x4d\x3c\xb2\xa1"sv,
                           "\xa1\xb2\x3c\x4d"sv, "\x0a\x0d\x0d\x0a"sv}) {
    if (begins.starts_with(magic)) return true;
  }
  return false;
}

read_end read_capture(input& from, observer& to,
                      const std::function<bool(const input&)>& on_progress) {
  std::FILE* const stream = stream_of(from);
  if (stream == nullptr) return {.problem = text::failure("no memory")};
  std::array<char, PCAP_ERRBUF_SIZE> error{};
  const std::unique_ptr<pcap_t, pcap_closer> capture{pcap_fopen_offline_with_tstamp_precision(
      stream, PCAP_TSTAMP_PRECISION_NANO, error.data())};
  if (!capture) {
    std::fclose(stream);
    return {.problem = text::failure(error.data())};
  }
  const auto link = link_of(pcap_datalink(capture.get()));
  if (!link) return {.problem = text::failure("packets of an unsupported kind")};
  tcp_connections open{to};
  batch_thread<packet_batch> putting_together{[&open](const packet_batch& some) {
    for (const auto& [packet, at] : some.packets()) open.receive(packet, at);
  }};
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  int result = 0;
  for (int packets = 0; (result = pcap_next_ex(capture.get(), &header, &data)) == 1;
       ++packets) {
    if (packets % packets_a_step == 0 && !on_progress(from)) break;
    const std::span packet{reinterpret_cast<const std::byte*>(data), header->caplen};
    const auto parsed = parse_packet(*link, packet);
    if (!parsed) continue;
    // Nanoseconds, because the capture was opened with that precision.
    const digest::wall_time at = clamped_instant(std::chrono::seconds{header->ts.tv_sec}) +
                                 std::chrono::nanoseconds{header->ts.tv_usec};
    if (!putting_together.filling().has_room_for(*parsed)) putting_together.hand_over();
    putting_together.filling().add(*parsed, at);
  }
  putting_together.finish();
  open.finish();
  read_end end{.missing_share = missing_share(open.counts())};
  if (result == PCAP_ERROR) end.problem = text::failure(pcap_geterr(capture.get()));
  return end;
}

}  // namespace scattergate::report
