#include "app/read_report.hpp"

#include <chrono>
#include <utility>

namespace scattergate::app {

read_report::read_report(std::shared_ptr<const routing::catalog> catalog,
                         const std::string& catalog_name)
    : builder_(std::move(catalog), table_),
      model_{table_, builder_.truth(), {}, {}, catalog_name} {
  model_.shard_requests = &builder_.shard_requests();
  model_.parts = &builder_.parts();
  model_.request_parts = &builder_.request_parts();
}

void read_report::read(const std::vector<std::string>& sources, const reading& how,
                       const std::function<bool()>& goes_on) {
  for (const named_file& file : files_of(sources)) {
    model_.sources.push_back(read_source(file, how, builder_, goes_on));
    if (!goes_on()) break;
  }
  model_.generated_at = std::chrono::system_clock::now();
}

std::vector<text::problem> read_report::problems() const {
  std::vector<text::problem> found;
  for (const report::source_facts& one : model_.sources) {
    if (one.problem) found.push_back(report::problem_of(one));
  }
  return found;
}

}  // namespace scattergate::app
