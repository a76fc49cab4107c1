#include "report/sources/capture.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>

#include <pcap/pcap.h>

#include "report/sources/conversation.hpp"
#include "report/sources/packet.hpp"
#include "report/sources/tcp_stream.hpp"
#include "report/sources/told_time.hpp"

namespace scattergate::report {
namespace {

/// Connections followed at once, and the bytes that they may hold: beyond these the oldest, or
/// the largest message, is given up and counted as lost.
constexpr std::size_t most_connections = 20'000;
constexpr std::size_t most_held_bytes = 48UL << 20;
constexpr int packets_a_step = 8192;

/// Both directions between two ends; `low` is the lesser of them.
struct connection {
  connection(conversation_parts& parts, const tcp_end& client)
      : talk(parts, address_text(client)) {}

  tcp_stream from_low;
  tcp_stream from_high;
  conversation talk;
  std::size_t held_bytes = 0;
  bool is_tls_told = false;
  int ended = 0;
};

class connections {
 public:
  explicit connections(observer& to) : parts_(to), told_to_(to) {}

  void take(const tcp_packet& packet, digest::wall_time at) {
    last_ = at;
    connection& one = connection_of(packet);
    tcp_stream& stream = packet.from < packet.to ? one.from_low : one.from_high;
    if (packet.begins) renew(one);
    stream.take({packet.number, packet.begins, packet.bytes});
    drain(one, stream, at);
    count_held(one, stream);
    if (packet.ends && ++one.ended == 2) close(key_of(packet));
  }

  void end() {
    while (!open_.empty()) close(open_.begin()->first);
  }

 private:
  using key = std::pair<tcp_end, tcp_end>;

  static key key_of(const tcp_packet& packet) {
    return packet.from < packet.to ? key{packet.from, packet.to} : key{packet.to, packet.from};
  }

  connection& connection_of(const tcp_packet& packet) {
    const key name = key_of(packet);
    if (const auto known = open_.find(name); known != open_.end()) return *known->second;
    if (open_.size() >= most_connections) close(open_.begin()->first);
    // The side with the higher port is the client, as far as the packet can tell.
    const tcp_end& client = packet.from.port > packet.to.port ? packet.from : packet.to;
    return *open_.emplace(name, std::make_unique<connection>(parts_, client)).first->second;
  }

  /// The same ports once more: another connection.
  static void renew(connection& one) {
    one.talk.end();
    one.ended = 0;
    one.is_tls_told = false;
  }

  void drain(connection& one, tcp_stream& stream, digest::wall_time at) {
    for (auto message = stream.next(); !message.empty(); message = stream.next()) {
      one.talk.take(message, at);
    }
    for (auto losses = stream.take_losses(); losses != 0; --losses) {
      told_to_.on_skipped(skip_reason::lost);
    }
    if (stream.what() == tcp_stream::content::tls && !std::exchange(one.is_tls_told, true)) {
      told_to_.on_skipped(skip_reason::tls);
    }
  }

  void count_held(connection& one, tcp_stream& stream) {
    const std::size_t now = one.from_low.held_bytes() + one.from_high.held_bytes();
    held_bytes_ += now - one.held_bytes;
    one.held_bytes = now;
    if (held_bytes_ <= most_held_bytes) return;
    stream.lose();
    held_bytes_ -= one.held_bytes;
    one.held_bytes = one.from_low.held_bytes() + one.from_high.held_bytes();
    held_bytes_ += one.held_bytes;
  }

  void close(const key& name) {
    const auto found = open_.find(name);
    connection& one = *found->second;
    for (tcp_stream* stream : {&one.from_low, &one.from_high}) {
      stream->end();
      drain(one, *stream, last_);
    }
    one.talk.end();
    held_bytes_ -= one.held_bytes;
    open_.erase(found);
  }

  conversation_parts parts_;
  observer& told_to_;
  std::map<key, std::unique_ptr<connection>> open_;
  std::size_t held_bytes_ = 0;
  digest::wall_time last_{};  ///< of the last packet
};

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

/// An input as a C stream, which libpcap wants.
std::FILE* stream_of(input& from) {
  cookie_io_functions_t how{};
  how.read = [](void* cookie, char* room, std::size_t bytes) {
    return static_cast<ssize_t>(static_cast<input*>(cookie)->read({room, bytes}));
  };
  return ::fopencookie(&from, "r", how);
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

std::string read_capture(input& from, observer& to,
                         const std::function<bool(const input&)>& on_progress) {
  std::FILE* const stream = stream_of(from);
  if (stream == nullptr) return "no memory";
  std::array<char, PCAP_ERRBUF_SIZE> error{};
  const std::unique_ptr<pcap_t, pcap_closer> capture{pcap_fopen_offline_with_tstamp_precision(
      stream, PCAP_TSTAMP_PRECISION_NANO, error.data())};
  if (!capture) {
    std::fclose(stream);
    return error.data();
  }
  const auto link = link_of(pcap_datalink(capture.get()));
  if (!link) return "packets of a kind that isn't read";
  connections open{to};
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  int result = 0;
  for (int packets = 0; (result = pcap_next_ex(capture.get(), &header, &data)) == 1;
       ++packets) {
    if (packets % packets_a_step == 0 && !on_progress(from)) break;
    const std::span packet{reinterpret_cast<const std::byte*>(data), header->caplen};
    const auto parsed = parse_packet(*link, packet);
    if (!parsed) continue;
    // libpcap puts nanoseconds there, as it was asked to.
    const digest::wall_time at = told_instant(std::chrono::seconds{header->ts.tv_sec}) +
                                 std::chrono::nanoseconds{header->ts.tv_usec};
    open.take(*parsed, at);
  }
  open.end();
  return result == PCAP_ERROR ? pcap_geterr(capture.get()) : std::string{};
}

}  // namespace scattergate::report
