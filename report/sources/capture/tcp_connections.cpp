#include "report/sources/capture/tcp_connections.hpp"

#include <string_view>
#include <utility>

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

}  // namespace scattergate::report
