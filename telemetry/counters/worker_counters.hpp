#pragma once

#include "telemetry/counters/cell.hpp"

namespace scattergate::telemetry {

/// What a worker counts without a label of its own. Each has its row in metric_list, which the
/// compiler sees to.
/// Thread-safety: as cell; the worker's thread writes.
struct worker_counters {
  cell connections_accepted;
  cell accept_failures;   ///< out of file descriptors or memory; accepting rests a while
  cell connections_open;  ///< gauge
  cell connections_handed_over;
  cell upstream_connections_open;  ///< gauge
  cell upstream_connect_failures;
  cell request_bytes;  ///< from clients
  cell reply_bytes;    ///< from mongos
  cell checksums_verified;
  cell checksum_failures;
  cell scratch_exhausted;
  cell verdicts_abandoned;      ///< the work budget was spent before all was judged
  cell shapes_abandoned;        ///< or before the shape was whole
  cell replies_unmatched;       ///< replies that answer no request of ours
  cell rejected_without_reply;  ///< rejected w:0 commands, dropped
  cell throttle_waiting;        ///< gauge: commands in the queue of a throttle
  cell x509_rejected;           ///< MONGODB-X509 where we terminate TLS
  cell x509_closed;             ///< what might have been: the connection was closed
};

}  // namespace scattergate::telemetry
