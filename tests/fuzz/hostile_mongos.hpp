#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "net/unique_fd.hpp"

/// A hostile server in place of a mongos. The input of a fuzz target controls what it replies.
namespace scattergate::fuzz {

/// How a reply is built from scripted_reply::content.
enum class reply_kind : std::uint8_t {
  fields,      ///< the fields of an OP_MSG's document
  sections,    ///< an OP_MSG without its header
  old_reply,   ///< the fields of an OP_REPLY's document (the legacy reply)
  compressed,  ///< an OP_COMPRESSED without its header
  raw,         ///< a whole message
  absurd,      ///< the correct reply with some values replaced by absurd ones; the content is
               ///< the `choices` of made_absurd(), which replaces them
};

/// How a reply is sent.
enum class manner : std::uint8_t {
  whole,
  bytewise,    ///< the first bytes one by one
  cut_early,   ///< a part of the reply's header, then the connection ends
  cut_late,    ///< the reply without its last byte, then the connection ends
  endless,     ///< the reply again and again, up to 1 MiB, then the connection ends
  misdirected  ///< with the id of another request
};

/// One reply of a script.
struct scripted_reply {
  reply_kind kind = reply_kind::fields;
  manner how = manner::whole;
  std::vector<std::byte> content;
};

/// The server's script for each connection: one reply per request. The last reply is repeated
/// for further requests, up to a limit; then the server closes the connection.
struct hostile_script {
  bool greets = false;        ///< the server answers the handshake correctly first
  bool speaks_first = false;  ///< the server sends the first reply without a request
  std::vector<scripted_reply> replies;
};

/// Reads the replies of a script from a fuzz target's input. A reply consists of one byte (low
/// four bits: reply_kind, high four bits: manner), two bytes with the content's length, and the
/// content.
[[nodiscard]] std::vector<scripted_reply> read_replies(std::span<const std::byte> input);

/// The hostile server. Listens on loopback until the process ends, and serves each connection
/// on a separate thread. Thread-safety: any thread.
class hostile_mongos {
 public:
  hostile_mongos();
  hostile_mongos(const hostile_mongos&) = delete;
  hostile_mongos& operator=(const hostile_mongos&) = delete;

  /// The port that the server listens on.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  /// Sets the script for later connections.
  void play(hostile_script next);

  /// Waits until all connections have ended, for at most 10 s. Call this before a leak check,
  /// which would report memory that a running thread still uses.
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
