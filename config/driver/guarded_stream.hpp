#pragma once

#include <optional>

#include "text/problem.hpp"

struct _mongoc_client_t;

namespace scattergate::config {

/// Protects a libmongoc client from invalid replies, which can crash it: checks each reply
/// before the client sees it (reply_frame.hpp). If the server sends an incomplete or invalid
/// reply, the client's connection fails. REQUIRES: outlives the client.
class reply_guard {
 public:
  reply_guard() = default;
  reply_guard(const reply_guard&) = delete;
  reply_guard& operator=(const reply_guard&) = delete;

  /// Checks the replies to this client from now on. REQUIRES: the client hasn't been used yet.
  void watch(_mongoc_client_t* client);

  /// The last problem with a reply since forget(); std::nullopt if there was none.
  [[nodiscard]] const std::optional<text::problem>& found() const noexcept { return found_; }
  /// Forgets the problem that found() returns.
  void forget() noexcept { found_.reset(); }

  /// Sets whether the client may open connections; initially true. With false, libmongoc can't
  /// repeat a call by itself after its connection has broken.
  void allow_connecting(bool may) noexcept { may_connect_ = may; }

 private:
  struct connecting;
  bool may_connect_ = true;
  std::optional<text::problem> found_;
};

}  // namespace scattergate::config
