#pragma once

#include <string>

struct _mongoc_client_t;

namespace scattergate::config {

/// Has a client of libmongoc see whole, sound replies (reply_frame.hpp) or none: at the first
/// message that isn't one its connection fails. Must outlive the client.
class reply_guard {
 public:
  reply_guard() = default;
  reply_guard(const reply_guard&) = delete;
  reply_guard& operator=(const reply_guard&) = delete;

  /// REQUIRES: the client hasn't been used yet.
  void watch(_mongoc_client_t* client);

  /// What was wrong with a message since forget(); empty: nothing.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }
  void forget() noexcept { why_.clear(); }

 private:
  struct connecting;
  std::string why_;
};

}  // namespace scattergate::config
