#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "net/unique_fd.hpp"

/// A server in a mongos's place, controlled by the input of a fuzz target.
namespace scattergate::fuzz {

/// The way a reply is built from its content.
enum class reply_kind : std::uint8_t {
  fields,      ///< the fields of an OP_MSG's document
  sections,    ///< an OP_MSG without its header
  old_reply,   ///< the fields of an OP_REPLY's document
  compressed,  ///< an OP_COMPRESSED without its header
  raw,         ///< a whole message
  absurd,      ///< what a mongos replies to this request, with the choices of made_absurd()
};

/// The way a reply is sent.
enum class manner : std::uint8_t {
  whole,
  bytewise,    ///< the first bytes one by one
  cut_early,   ///< a part of its header, then the connection ends
  cut_late,    ///< all but its last byte, then the connection ends
  endless,     ///< again and again, whether asked or not
  misdirected  ///< as the reply to another request
};

struct scripted_reply {
  reply_kind kind = reply_kind::fields;
  manner how = manner::whole;
  std::vector<std::byte> content;
};

/// The server's script for each connection: the replies, one per request. The last one is
/// repeated, up to a limit; then the connection ends.
struct hostile_script {
  bool greets = false;        ///< a good handshake comes first
  bool speaks_first = false;  ///< the first reply comes without a request
  std::vector<scripted_reply> replies;
};

/// Reads replies, one after another: a byte (the low half: reply_kind, the high half: manner),
/// the length of the content in two bytes, the content.
[[nodiscard]] std::vector<scripted_reply> read_replies(std::span<const std::byte> input);

/// Listens on loopback until the process ends, each connection on a thread of its own.
/// Thread-safety: any thread.
class hostile_mongos {
 public:
  hostile_mongos();
  hostile_mongos(const hostile_mongos&) = delete;
  hostile_mongos& operator=(const hostile_mongos&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  /// From the next connection on.
  void play(hostile_script next);

  /// Waits until all connections have ended, at most 10 s: a leak check after an input takes
  /// what a thread is just making for a leak.
  void await_end();

 private:
  [[nodiscard]] hostile_script script();
  void serve(net::unique_fd client);

  int listener_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  hostile_script script_;    // under mutex_
  std::size_t running_ = 0;  // connections; under mutex_
  std::condition_variable has_ended_;
};

}  // namespace scattergate::fuzz
