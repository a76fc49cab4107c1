#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "telemetry/finding_table.hpp"
#include "wire/bson.hpp"
#include "wire/command.hpp"

namespace scattergate::proxy {

/// Who is at the other end of a client's connection, as far as the connection itself has told:
/// application and driver from hello's `client`, the user from a SCRAM exchange that succeeded.
/// Thread-safety: one thread.
class client_identity {
 public:
  explicit client_identity(std::string remote) : remote_(std::move(remote)) {}

  /// Learns from a hello: the client's metadata, and the user of a speculativeAuthenticate.
  void learn_hello(const wire::command& hello);

  /// Learns who a saslStart claims to be; believed once the exchange succeeded.
  void learn_sasl_start(wire::document_view body);
  void sasl_succeeded();
  void logged_out() { user_.clear(); }

  [[nodiscard]] const std::string& app() const noexcept { return app_; }
  [[nodiscard]] const std::string& user() const noexcept { return user_; }
  [[nodiscard]] const std::string& remote() const noexcept { return remote_; }

  /// Whether mongos has ever confirmed who is there, by whatever mechanism, known by name or not:
  /// then it is no stranger.
  [[nodiscard]] bool has_authenticated() const noexcept { return has_authenticated_; }

  [[nodiscard]] telemetry::caller_view as_caller(std::string_view comment) const noexcept {
    return {app_, driver_, user_, remote_, comment};
  }

 private:
  std::string remote_;
  std::string app_;
  std::string driver_;  ///< "PyMongo 4.10.1"
  std::string user_;
  std::string claimed_;  ///< until the exchange succeeds
  bool has_authenticated_ = false;
};

/// The text of a command's `comment`: a string as it is, a document as "?object", anything else
/// as "?value"; empty without one. At most limits::max_comment_bytes, cut between UTF-8
/// characters.
[[nodiscard]] std::string_view comment_of(const wire::command& command) noexcept;

}  // namespace scattergate::proxy
