#pragma once

#include "telemetry/counters/cell.hpp"

namespace scattergate::telemetry {

/// A worker's counters for metrics without labels of their own. Each counter has a row in
/// metric_list, which the compiler checks. All count since the start, except for gauges.
/// Thread-safety: the worker's thread writes, any thread reads.
struct worker_counters {
  cell connections_accepted;  ///< client connections
  cell accept_failures;   ///< failed calls of accept(), for lack of file descriptors or memory;
                          ///< accepting then pauses
  cell connections_open;  ///< gauge
  cell connections_handed_over;    ///< client connections accepted here, and passed to a worker
                                   ///< with fewer connections
  cell upstream_connections_open;  ///< gauge
  cell upstream_connect_failures;  ///< failed attempts to connect to mongos
  cell request_bytes;              ///< bytes received from clients
  cell reply_bytes;                ///< bytes received from mongos
  cell checksums_verified;         ///< requests whose CRC-32C was checked
  cell checksum_failures;          ///< requests whose CRC-32C was wrong
  cell scratch_exhausted;   ///< verdicts (predicted routing) that may name too many shards,
                            ///< because judging reached its limit of memory or work
  cell verdicts_abandoned;  ///< verdicts left incomplete, because judging reached its limit of
                            ///< work
  cell verdicts_outdated;   ///< commands that count as `unknown`, because the catalog was
                            ///< outdated
  cell shapes_abandoned;    ///< shapes (commands without values) left incomplete, because
                            ///< computing them reached the limit of work
  cell replies_unmatched;   ///< replies without a matching request
  cell rejected_without_reply;  ///< rejected commands that request no reply (such as w: 0), so
                                ///< that scattergate drops them without an error
  cell throttle_waiting;  ///< gauge: commands waiting in the queue of a rule that throttles
  cell x509_rejected;     ///< commands rejected because they authenticate by MONGODB-X509 on a
                          ///< connection whose TLS scattergate terminates
  cell x509_closed;       ///< connections closed because a message might authenticate by
                          ///< MONGODB-X509
};

}  // namespace scattergate::telemetry
