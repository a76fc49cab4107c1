#include "telemetry/metrics/exposition.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>

#include "routing/shape/shape.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {
namespace {

constexpr int digits = 16;
constexpr double too_long = 1e16;  // the first number with more digits
constexpr std::size_t longest = 32;

bool is_whole(double number) noexcept {
  return number > -too_long && number < too_long && std::trunc(number) == number;
}

template <typename... How>
void append(std::string& to, How... how) {
  std::array<char, longest> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), how...).ptr;
  to.append(text.data(), end);
}

constexpr std::string_view total_suffix = "_total";

constexpr wire::label_table<metric_type> type_labels{{
    {metric_type::counter, "counter"},
    {metric_type::gauge, "gauge"},
    {metric_type::histogram, "histogram"},
}};

bool is_escaped(char c) noexcept {
  return c == '\n' || c == '\\' || c == '"';
}

void append_escaped(std::string& to, std::string_view value) {
  for (;;) {
    const auto plain = std::ranges::find_if(value, is_escaped) - value.begin();
    const auto size = static_cast<std::size_t>(plain);
    to += value.substr(0, size);
    if (size == value.size()) return;
    to += '\\';
    to += value[size] == '\n' ? 'n' : value[size];
    value.remove_prefix(size + 1);
  }
}

void append_label(std::string& to, const metric_label& label) {
  if (!to.empty()) to += ',';
  to += label.name;
  to += "=\"";
  append_escaped(to, label.value);
  to += '"';
}

void append_count(std::string& to, std::uint64_t count) {
  append_number(to, static_cast<double>(count));
  to += '\n';
}

/// Appends an exemplar after a sample's value (OpenMetrics 1.0, "Exemplars"). Omits one without
/// labels.
void append_exemplar(std::string& to, const exemplar_view& one) {
  if (!one.trace && one.shape_hash == 0) return;
  to += " # {";
  if (one.trace) to += "trace_id=\"" + wire::trace_id_text(one.trace) + '"';
  if (one.shape_hash != 0) {
    if (one.trace) to += ',';
    to += "shape_hash=\"" + routing::shape_hash_text(one.shape_hash) + '"';
  }
  to += "} ";
  append_number(to, one.value);
  to += ' ';
  append_number(to, one.unix_seconds);
}

/// Clears `used` but keeps its memory for the next scrape, unless it has far more than it
/// needs.
void empty(std::string& used) {
  constexpr std::size_t nothing_much = 64UL * 1024;
  if (used.capacity() > nothing_much + 2 * used.size()) used = std::string{};
  used.clear();
}

void begin_line(std::string& to, std::string_view name, std::string_view suffix,
                std::string_view labels) {
  to += name;
  to += suffix;
  if (!labels.empty()) {
    to += '{';
    to += labels;
    to += '}';
  }
  to += ' ';
}

}  // namespace

void append_number(std::string& to, double number) {
  if (is_whole(number)) return append(to, static_cast<std::int64_t>(number));
  if (std::isinf(number)) {
    to += number < 0 ? "-Inf" : "+Inf";
  } else {
    append(to, number, std::chars_format::general, digits);
  }
}

void append_canonical_number(std::string& to, double number) {
  append_number(to, number);
  if (is_whole(number)) to += ".0";
}

exposition_writer::exposition_writer(exposition_format format)
    : format_(format), families_(metric_list().size()) {}

void exposition_writer::set_format(exposition_format format) noexcept {
  // Lines are left over if the last scrape ran out of memory.
  for (family& each : families_) each.lines.clear();
  if (format_ != format) {
    for (family& each : families_) each.bounds.clear();
  }
  format_ = format;
}

void exposition_writer::write_labels(labels label_set) {
  const metric_label* next = label_set.begin();
  labels_.clear();
  if (label_set.size() >= 2 && next[0].name == "db" && next[1].name == "collection") {
    labels_ = pair_text(next[0], next[1]);
    next += 2;
  }
  for (; next != label_set.end(); ++next) append_label(labels_, *next);
}

/// The text of a namespace's labels. It is cached, because the series of one namespace follow
/// each other.
const std::string& exposition_writer::pair_text(const metric_label& db,
                                                const metric_label& collection) {
  if (db_ != db.value || collection_ != collection.value || pair_.empty()) {
    db_ = db.value;
    collection_ = collection.value;
    pair_.clear();
    append_label(pair_, db);
    append_label(pair_, collection);
  }
  return pair_;
}

void exposition_writer::add(std::size_t row, double value, labels label_set,
                            const exemplar_view* one) {
  std::string& to = families_[row].lines;
  write_labels(label_set);
  begin_line(to, metric_list()[row].name, {}, labels_);
  append_number(to, value);
  if (one != nullptr && supports_exemplars()) append_exemplar(to, *one);
  to += '\n';
}

/// Adds `_count` and `_sum` before the buckets in the text format, like prometheus-cpp; after
/// them in OpenMetrics, like the specification's examples.
void exposition_writer::add_histogram(std::size_t row, const histogram_view& histogram,
                                      labels label_set) {
  family& to = families_[row];
  const std::string_view name = metric_list()[row].name;
  write_labels(label_set);
  if (format_ == exposition_format::text) add_total(to, name, histogram);
  add_buckets(to, name, histogram);
  if (format_ == exposition_format::openmetrics) add_total(to, name, histogram);
}

void exposition_writer::add_total(family& to, std::string_view name,
                                  const histogram_view& histogram) const {
  begin_line(to.lines, name, "_count", labels_);
  append_count(to.lines, std::accumulate(histogram.buckets.begin(), histogram.buckets.end(),
                                         std::uint64_t{0}));
  begin_line(to.lines, name, "_sum", labels_);
  append_number(to.lines, static_cast<double>(histogram.sum) / histogram.unit);
  to.lines += '\n';
}

void exposition_writer::add_buckets(family& to, std::string_view name,
                                    const histogram_view& histogram) {
  const auto append_bound =
      format_ == exposition_format::text ? append_number : append_canonical_number;
  while (to.bounds.size() < histogram.buckets.size()) {
    const std::size_t i = to.bounds.size();
    std::string& text = to.bounds.emplace_back("le=\"");
    append_bound(text, i < histogram.bounds.size()
                           ? static_cast<double>(histogram.bounds[i]) / histogram.unit
                           : std::numeric_limits<double>::infinity());
    text += "\"} ";
  }
  head_.assign(name);
  head_ += "_bucket{";
  head_ += labels_;
  if (!labels_.empty()) head_ += ',';
  std::uint64_t cumulated = 0;
  for (std::size_t i = 0; i < histogram.buckets.size(); ++i) {
    cumulated += histogram.buckets[i];
    to.lines += head_;
    to.lines += to.bounds[i];
    append_number(to.lines, static_cast<double>(cumulated));
    const bool has_one = i < histogram.exemplars.size() && histogram.exemplars[i];
    if (has_one && supports_exemplars()) append_exemplar(to.lines, *histogram.exemplars[i]);
    to.lines += '\n';
  }
}

/// In OpenMetrics a counter's family has no `_total`, but its samples do.
void exposition_writer::add_heading(std::string& to, const metric_row& row) const {
  std::string_view name = row.name;
  if (format_ == exposition_format::openmetrics && row.type == metric_type::counter) {
    name.remove_suffix(total_suffix.size());
  }
  const auto line = [&](std::string_view what, std::string_view says) {
    to += what;
    to += name;
    to += ' ';
    to += says;
    to += '\n';
  };
  line("# HELP ", row.help);
  line("# TYPE ", type_labels[row.type]);
}

std::string exposition_writer::take() {
  constexpr std::size_t heading_bytes = 512;
  std::string text;
  text.reserve(std::transform_reduce(
      families_.begin(), families_.end(), std::size_t{0}, std::plus<>{},
      [](const family& each) { return each.lines.size() + heading_bytes; }));
  for (std::size_t row = 0; row < families_.size(); ++row) {
    std::string& lines = families_[row].lines;
    if (lines.empty()) continue;
    add_heading(text, metric_list()[row]);
    text += lines;
    empty(lines);
  }
  if (format_ == exposition_format::openmetrics) text += "# EOF\n";
  return text;
}

std::string_view content_type_of(exposition_format format) noexcept {
  return format == exposition_format::openmetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

std::string exposition::text(exposition_format format) const {
  const std::lock_guard lock{mutex_};
  writer_.set_format(format);
  metrics_.collect(writer_);
  return writer_.take();
}

}  // namespace scattergate::telemetry
