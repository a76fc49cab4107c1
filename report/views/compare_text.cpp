// The part of compare_views that makes text for a terminal.

#include <cstdio>

#include "digest/number_text.hpp"
#include "digest/words.hpp"
#include "report/views/compare_views.hpp"
#include "routing/shape/shape.hpp"
#include "text/utf8.hpp"

namespace scattergate::report {
namespace {

using digest::with_commas;

class comparison_text : terminal_lines {
 public:
  comparison_text(const compare_model& of, const text_style& style)
      : terminal_lines(style), of_(of) {}

  std::string whole() {
    side("before", of_.before);
    side("after", of_.after);
    for (const std::string& limit : limits_of(of_)) line("note    " + limit);
    line("");
    sums();
    line("");
    line("shapes: " + counts_text(of_));
    for (const auto& [kind, title] : listed_changes) list(kind, title);
    return take();
  }

 private:
  void side(const std::string& name, const report_model& of) {
    strong(name + std::string(8 - name.size(), ' ') + side_text(of));
    for (const source_facts& one : of.sources) line("        " + source_text(one));
  }

  void sums() {
    constexpr const char* format = "%-24s %14s %14s %10s";
    const auto row = [&](const compared_sum& one) {
      std::array<char, 128> columns{};
      std::snprintf(columns.data(), columns.size(), format, one.name.c_str(),
                    one.before.c_str(), one.after.c_str(), one.change.c_str());
      return std::string{columns.data()};
    };
    strong(row({basis_text(of_), "before", "after", ""}));
    for (const compared_sum& one : sums_of(of_)) line(row(one));
  }

  void list(change kind, const std::string& title) {
    const auto& all = of_.changes.of(kind);
    if (all.empty()) return;
    line("");
    strong(title + ", " + basis_text(of_) + ":");
    strong("          commands  shards      wasted       time  shape");
    const std::size_t listed = of_.listed_of(all.size());
    for (std::size_t i = 0; i < listed; ++i) shape(all[i]);
    if (listed < all.size()) {
      line("        and " + with_commas(all.size() - listed) + " further shapes");
    }
  }

  void shape(const shape_change& one) {
    const bool is_gone = one.after == nullptr;
    const shape_sums sums =
        sums_of(one.shape(), is_gone ? of_.changes.hours_before() : of_.changes.hours_after());
    std::array<char, 128> columns{};
    std::snprintf(columns.data(), columns.size(), "%18s %7s %11s %10s  ", sums.commands.c_str(),
                  sums.shards.c_str(), sums.wasted.c_str(), sums.time.c_str());
    const std::string left{columns.data()};
    const std::size_t room =
        style().width > left.size() + 23 ? style().width - left.size() - 3 : 20;
    line(left + text::cut_with_dots(digest::one_line(one.shape()), room));
    const std::string hash = routing::shape_hash_text(one.shape().shape_hash);
    const std::string changed = change_text(of_, one);
    const std::string what = std::string{label(one.shape().what.routing)};
    line(std::string(18, ' ') + hash + "  " + (changed.empty() ? what : changed));
  }

  const compare_model& of_;
};

}  // namespace

std::string compare_text(const compare_model& of, const text_style& style) {
  return comparison_text{of, style}.whole();
}

}  // namespace scattergate::report
