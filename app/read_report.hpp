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

/// Reads the sources of a report (logs, captures, daemons and others) into a digest, and builds
/// the report's model from it. The digest is a table with a row of counts per shape of
/// commands.
class read_report {
 public:
  /// `catalog`: the catalog by which commands are judged; never null. `catalog_name`: its name
  /// in views.
  read_report(std::shared_ptr<const routing::catalog> catalog, const std::string& catalog_name);

  read_report(const read_report&) = delete;
  read_report& operator=(const read_report&) = delete;

  /// Reads files, folders, daemons and fleets, one after the other. Stops when `goes_on`
  /// returns false. A source that can't be read is no error here; see problems().
  void read(const std::vector<std::string>& sources, const reading& how,
            const std::function<bool()>& goes_on);

  /// Makes read() also keep complete commands, as a sample, in `kept`, which must outlive this
  /// object.
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
