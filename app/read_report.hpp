#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/report_sources.hpp"
#include "digest/table.hpp"
#include "report/sources/digest_builder.hpp"
#include "report/views/report_model.hpp"
#include "routing/catalog/catalog.hpp"

namespace scattergate::app {

/// Reads sources into a digest (a table with a row per shape of commands), and builds the
/// report's model from the digest.
class read_report {
 public:
  /// `catalog_name` is the catalog's name in views.
  read_report(std::shared_ptr<const routing::catalog> catalog, const std::string& catalog_name);

  read_report(const read_report&) = delete;
  read_report& operator=(const read_report&) = delete;

  /// Reads files, folders, daemons and fleets. Stops when `goes_on` returns false.
  void read(const std::vector<std::string>& sources, const reading& how,
            const std::function<bool()>& goes_on);

  /// Makes read() keep complete commands in `kept`, which must outlive this object.
  void keep_in(advise::kept_commands& kept) noexcept { builder_.keep_in(kept); }

  /// The digest of the commands.
  [[nodiscard]] const digest::table& table() const noexcept { return table_; }
  /// The model for the report's views. Refers to this object.
  [[nodiscard]] report::report_model& model() noexcept { return model_; }

  /// The problem of each source that could not be read completely.
  [[nodiscard]] std::vector<text::problem> problems() const;

 private:
  digest::table table_{max_rows};
  report::digest_builder builder_;
  report::report_model model_;
};

}  // namespace scattergate::app
