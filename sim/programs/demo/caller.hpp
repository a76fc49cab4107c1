#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/programs/demo/dataset.hpp"
#include "sim/programs/demo/driver.hpp"

namespace scattergate::sim::demo {

/// A document to which only one thread pushes changes, and its progress.
struct edited_document {
  entity document;
  std::int64_t server_seq = 0;
};

/// One thread of one application: its connection, and its state between requests.
struct caller {
  client mongos;
  const dataset& data;
  dice choose;
  std::vector<edited_document> edited;
  /// The position of housekeeping's scans; starts at the least id.
  object_id last_client{};
  object_id last_document{};

  [[nodiscard]] const entity& any_document() {
    return data.documents[choose.skewed_below(data.documents.size())];
  }
  [[nodiscard]] const entity& any_client() {
    return data.clients[choose.skewed_below(data.clients.size())];
  }
  [[nodiscard]] const project& any_project() {
    return data.projects[choose.skewed_below(data.projects.size())];
  }
  [[nodiscard]] const revision& any_revision() {
    return data.revisions[choose.below(data.revisions.size())];
  }
  [[nodiscard]] edited_document& any_edited() {
    return edited[choose.skewed_below(edited.size())];
  }
};

/// An action of an application. Its frequency is `weight` relative to the sum of weights.
struct work {
  unsigned weight;
  void (*run)(caller&);
};

/// An application that uses the database: its name and its actions.
struct application {
  const char* name;  ///< its appName
  unsigned threads;
  unsigned percent;  ///< of all requests
  std::vector<work> does;
};

/// Yorkie's API servers: editing, most of the traffic.
[[nodiscard]] application api_servers();
/// The dashboard: lists, counts, searches.
[[nodiscard]] application dashboard();
/// Housekeeping: rare maintenance over all projects.
[[nodiscard]] application housekeeping();

}  // namespace scattergate::sim::demo
