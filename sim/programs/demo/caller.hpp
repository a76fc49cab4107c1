#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/programs/demo/dataset.hpp"
#include "sim/programs/demo/driver.hpp"

namespace scattergate::sim::demo {

/// A document to which only one thread pushes changes, and the number of its last change.
struct edited_document {
  entity document;
  std::int64_t server_seq = 0;
};

/// One thread of an application: its connection, and its state between requests. Thread-safety:
/// one thread.
struct caller {
  client mongos;
  const dataset& data;
  dice choose;
  std::vector<edited_document> edited;
  /// The ids at which housekeeping's next scans start; initially the least id.
  object_id last_client{};
  object_id last_document{};

  /// Random choices; all but any_revision() choose items at the beginning more often.
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

/// An action of an application. The application chooses it with probability `weight` divided by
/// the sum of all its actions' weights.
struct action {
  unsigned weight;
  void (*run)(caller&);
};

/// An application that uses the database.
struct application {
  const char* name;             ///< the appName of its connections
  unsigned threads;             ///< one connection each
  unsigned percent;             ///< its share of all requests, in percent
  std::vector<action> actions;  ///< its actions
};

/// Yorkie's API servers: they edit documents, and send most of the traffic.
[[nodiscard]] application api_servers();
/// Yorkie's dashboard: it lists, counts and searches.
[[nodiscard]] application dashboard();
/// Yorkie's housekeeping: rare maintenance over all projects.
[[nodiscard]] application housekeeping();

}  // namespace scattergate::sim::demo
