#pragma once

#include <optional>

#include "text/problem.hpp"

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

  /// What was wrong with a message since forget().
  [[nodiscard]] const std::optional<text::problem>& found() const noexcept { return found_; }
  void forget() noexcept { found_.reset(); }

 private:
  struct connecting;
  std::optional<text::problem> found_;
};

}  // namespace scattergate::config
