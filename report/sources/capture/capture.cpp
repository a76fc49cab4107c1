#include "report/sources/capture/capture.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>

#include <pcap/pcap.h>
#include <stdio_ext.h>

#include "report/sources/capture/packet.hpp"
#include "report/sources/capture/tcp_connections.hpp"
#include "report/sources/observer_thread.hpp"
#include "report/sources/source_times.hpp"

namespace scattergate::report {
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
