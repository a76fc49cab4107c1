#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/metrics/metrics_collector.hpp"
#include "telemetry/metrics/series_sink.hpp"

namespace scattergate::telemetry {

/// Appends a number in Prometheus's syntax, with up to 16 digits: integers below 10^16
/// exactly, infinity as +Inf or -Inf, other numbers like printf's %.16g.
void append_number(std::string& to, double number);

/// Appends a bucket bound as OpenMetrics 1.0 requires ("Considerations: Canonical Numbers"):
/// integers have a digit after the decimal point.
void append_canonical_number(std::string& to, double number);

/// The format of /metrics.
enum class exposition_format : std::uint8_t {
  text,        ///< Prometheus text 0.0.4
  openmetrics  ///< OpenMetrics 1.0
};

/// Writes the text of /metrics. For each scrape (a request for /metrics), add all series by
/// add(), then call take(). Formats a series as soon as it is added: building objects with
/// label maps first takes ten times as long (bench's cases `scrape/...`). Thread-safety: one
/// thread.
class exposition_writer final : public series_sink {
 public:
  explicit exposition_writer(exposition_format format);

  /// Starts a new scrape in this format. Discards series that were added since the last take().
  void set_format(exposition_format format) noexcept;

  using series_sink::add;
  void add(std::size_t row, double value, labels label_set, const exemplar_view* one) override;
  [[nodiscard]] bool supports_exemplars() const noexcept override {
    return format_ == exposition_format::openmetrics;
  }

  /// Returns the text of all families that have series, in the order of metric_list(), and
  /// starts a new scrape. Keeps the buffers' memory for the next scrape, because allocating it
  /// takes as long as writing.
  [[nodiscard]] std::string take();

 private:
  struct family {
    std::string lines;
    std::vector<std::string> bounds;  ///< a histogram's bounds, as `le="..."} `, including +Inf
  };

  void add_histogram(std::size_t row, const histogram_view& histogram,
                     labels label_set) override;
  void add_heading(std::string& to, const metric_row& row) const;
  void add_buckets(family& to, std::string_view name, const histogram_view& histogram);
  void add_total(family& to, std::string_view name, const histogram_view& histogram) const;
  void write_labels(labels label_set);
  [[nodiscard]] const std::string& pair_text(const metric_label& db,
                                             const metric_label& collection);

  exposition_format format_;
  std::vector<family> families_;  // by row of metric_list
  std::string labels_;            // the current series' labels: `name="value",...`
  std::string head_;              // common beginning of a histogram's bucket lines
  // The last namespace, and its labels as text.
  std::string db_;
  std::string collection_;
  std::string pair_;
};

/// The Content-Type of /metrics in this format (Prometheus: content negotiation; OpenMetrics
/// 1.0: "Protocol Negotiation").
[[nodiscard]] std::string_view content_type_of(exposition_format format) noexcept;

/// Formats all metrics as text for /metrics. Keeps its text buffers for the next scrape
/// (request for /metrics), to allocate less. Thread-safety: any thread.
class exposition {
 public:
  /// `metrics` must outlive this object.
  explicit exposition(const metrics_collector& metrics)
      : metrics_(metrics), writer_(exposition_format::text) {}

  /// The current values of all metrics, as text.
  [[nodiscard]] std::string text(exposition_format format) const;

 private:
  const metrics_collector& metrics_;
  mutable std::mutex mutex_;
  mutable exposition_writer writer_;  // under mutex_
};

}  // namespace scattergate::telemetry
