#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "telemetry/admin/health.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/metrics/exposition.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// The compression of a reply.
enum class content_coding : std::uint8_t { identity, gzip, zstd };
/// The coding's name in the header Content-Encoding.
[[nodiscard]] std::string_view label(content_coding coding) noexcept;

/// The form of a reply.
struct answer_form {
  exposition_format format = exposition_format::text;  ///< for /metrics only
  content_coding coding = content_coding::identity;    ///< compression; identity: none

  friend auto operator<=>(const answer_form&, const answer_form&) = default;
};

/// The metrics format that the header `Accept` prefers, by its qualities (q=). OpenMetrics if
/// the header accepts it, with version 1.0.0 or without a version, at a quality not below that
/// of text/plain. Otherwise the Prometheus text format.
[[nodiscard]] exposition_format requested_format(std::string_view accept) noexcept;

/// The compression that the header `Accept-Encoding` prefers, by its qualities (q=): zstd or
/// gzip, whichever has the higher one; zstd if they are equal. Identity if the header accepts
/// neither.
[[nodiscard]] content_coding requested_coding(std::string_view accept_encoding) noexcept;

/// The HTTP status for a request with an invalid parameter.
inline constexpr unsigned bad_request = 400;
/// The HTTP status for a path that doesn't exist, or that names something unknown.
inline constexpr unsigned not_found = 404;
/// The HTTP status for a request that may succeed later.
inline constexpr unsigned unavailable = 503;

/// A reply of the admin server, before HTTP framing.
struct admin_reply {
  unsigned status = 200;  ///< the HTTP status
  std::string_view content_type = "text/plain; charset=utf-8";
  std::string body;                                  ///< may be compressed; see `coding`
  content_coding coding = content_coding::identity;  ///< compression of the body
};

/// Makes a plain-text reply that refuses a request. `status`: the HTTP status; `why`: the
/// reason, in one line.
[[nodiscard]] inline admin_reply refusal(unsigned status, std::string_view why) {
  return {.status = status, .body = std::string{why} + "\n"};
}

/// The path of a request target, without its query.
[[nodiscard]] inline std::string_view path_of(std::string_view target) noexcept {
  return target.substr(0, target.find('?'));
}

/// Makes the admin server's reply for each path. Does no network I/O; admin_server calls it.
/// Configure it with the show functions before the first answer(). Thread-safety: any thread.
class admin_pages {
 public:
  /// `metrics` and `health_now` must outlive this object. `has_page`: whether to serve paths
  /// other than /metrics, /healthz and /readyz (admin.page).
  admin_pages(const metrics_collector& metrics, const health& health_now, bool has_page)
      : metrics_(metrics), exposition_(metrics), health_(health_now), has_page_(has_page) {}

  /// Adds a path. It takes precedence over all others except /metrics, /healthz and /readyz.
  /// `body` makes the reply's body for each request, on the thread that calls answer(). Has no
  /// effect if the page is off (admin.page). `content_type` must outlive this object.
  void show(std::string path, std::string_view content_type,
            std::function<std::string()> body) {
    shown_[std::move(path)] = {content_type, std::move(body)};
  }

  /// Sets the digest (the table of query shapes) whose findings and collections the page
  /// shows. `digest` must outlive this object.
  void show_digest(live_digest& digest) noexcept { digest_ = &digest; }

  /// Sets the board of current problems (conditions) that the page shows. `board` must outlive
  /// this object.
  void show_conditions(const condition_board& board) noexcept { conditions_ = &board; }

  /// Sets the handler of the paths below /api/v1/, except paths added by show() and
  /// /api/v1/advice. The handler also makes the page's headline. Has no effect if the page is
  /// off. `shown` must outlive this object.
  void show_api(const class api& shown) noexcept { api_ = &shown; }

  /// Sets the service that computes advice on shard keys, for /advice and /api/v1/advice.
  /// `service` must outlive this object.
  void show_advice(class advice_service& service) noexcept { advice_ = &service; }

  /// Whether concurrent requests for `target` should share one reply, because making the reply
  /// is expensive; see shared_answers.
  [[nodiscard]] static bool is_shared(std::string_view target) noexcept;

  /// Whether `target`, with or without a query, is /metrics.
  [[nodiscard]] static bool is_metrics(std::string_view target) noexcept;

  /// The key under which requests share a reply: `target` without the parts that don't affect
  /// the reply, such as "/metrics" for "/metrics?a=1". A view into `target`.
  [[nodiscard]] static std::string_view cache_key(std::string_view target) noexcept;

  /// The form (format and compression) in which to reply to `target`: `requested`, but with the
  /// default for each member that doesn't affect the reply.
  [[nodiscard]] static answer_form form_of(std::string_view target,
                                           const answer_form& requested) noexcept;

  /// Replies to a GET or HEAD of `target`, with or without a query. The status is 404 for an
  /// unknown path, and 405 for other methods. Compresses a body of 1 KiB or more as `form`
  /// says.
  [[nodiscard]] admin_reply answer(std::string_view method, std::string_view target,
                                   const answer_form& form = {}) const;

 private:
  [[nodiscard]] admin_reply plain_answer(std::string_view method, std::string_view target,
                                         exposition_format format) const;

  [[nodiscard]] admin_reply readiness(std::string_view target) const;
  [[nodiscard]] std::string unserved_listener() const;

  const metrics_collector& metrics_;
  exposition exposition_;
  const health& health_;
  bool has_page_;
  /// A path added by show().
  struct part {
    std::string_view content_type;
    std::function<std::string()> body;
  };
  std::map<std::string, part, std::less<>> shown_;  // by path
  live_digest* digest_ = nullptr;
  const condition_board* conditions_ = nullptr;
  const class api* api_ = nullptr;
  class advice_service* advice_ = nullptr;
};

}  // namespace scattergate::telemetry
