#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/metrics/series_sink.hpp"

namespace scattergate::telemetry {

/// How /metrics is written.
enum class exposition_format : std::uint8_t {
  text,        ///< Prometheus's, 0.0.4
  openmetrics  ///< OpenMetrics 1.0
};

/// Writes the series of one scrape as text while they are told, so that there is nothing of a
/// series but its line: as objects with maps of labels they take ten times as long (bench's
/// cases `scrape/...`; docs/decisions.md).
/// Thread-safety: one thread.
class exposition_writer final : public series_sink {
 public:
  explicit exposition_writer(exposition_format format);

  /// How the next scrape is written. REQUIRES: nothing has been added since take().
  void use(exposition_format format) noexcept;

  using series_sink::add;
  void add(std::size_t row, double value, labels with, const exemplar_view* one) override;
  [[nodiscard]] bool wants_exemplars() const noexcept override {
    return format_ == exposition_format::openmetrics;
  }

  /// The families that have a series, in metric_list's order. Nothing of them is left here but
  /// memory, for the next scrape: to have it made anew takes as long as to write there.
  [[nodiscard]] std::string take();

 private:
  struct family {
    std::string lines;
    std::vector<std::string> bounds;  ///< of a histogram: `le="..."} `, +Inf included
  };

  void add_histogram(std::size_t row, const histogram_view& histogram, labels with) override;
  void add_heading(std::string& to, const metric_row& row) const;
  void add_buckets(family& to, std::string_view name, const histogram_view& histogram);
  void add_total(family& to, std::string_view name, const histogram_view& histogram) const;
  void write_labels(labels with);
  [[nodiscard]] const std::string& pair_text(const metric_label& db,
                                             const metric_label& collection);

  exposition_format format_;
  std::vector<family> families_;  // by metric_list's rows
  std::string labels_;            // of the series in hand: `name="value",...`
  std::string head_;              // of the lines of its buckets
  // The last namespace, and its labels as text.
  std::string db_;
  std::string collection_;
  std::string pair_;
};

}  // namespace scattergate::telemetry
