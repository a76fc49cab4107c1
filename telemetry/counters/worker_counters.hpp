#pragma once

#include "telemetry/counters/cell.hpp"

namespace scattergate::telemetry {

/// A worker's counters without labels. Each has a row in metric_list, which the compiler
/// checks. Thread-safety: the worker's thread writes, any thread reads.
struct worker_counters {
  cell connections_accepted;
  cell accept_failures;            ///< out of file descriptors or memory; accepting then pauses
  cell connections_open;           ///< gauge
  cell connections_handed_over;    ///< to a worker with fewer connections
  cell upstream_connections_open;  ///< gauge
  cell upstream_connect_failures;
  cell request_bytes;           ///< from clients
  cell reply_bytes;             ///< from mongos
  cell checksums_verified;      ///< requests whose CRC-32C was checked
  cell checksum_failures;       ///< requests whose CRC-32C was wrong
  cell scratch_exhausted;       ///< verdicts that may name too many shards, because a limit was
                                ///< reached
  cell verdicts_abandoned;      ///< the work limit was reached before the verdict was complete
  cell shapes_abandoned;        ///< the work limit was reached before the shape was complete
  cell replies_unmatched;       ///< replies without a matching request
  cell rejected_without_reply;  ///< rejected commands with w: 0, dropped
  cell throttle_waiting;        ///< gauge: commands waiting in a throttle's queue
  cell x509_rejected;  ///< rejected: MONGODB-X509 on a connection whose TLS scattergate
                       ///< terminates
  cell x509_closed;    ///< closed because a message might be MONGODB-X509
};

}  // namespace scattergate::telemetry
