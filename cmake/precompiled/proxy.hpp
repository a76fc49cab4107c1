// The precompiled header of proxy/: the headers of other directories that most of its files
// include.
#include "cmake/precompiled/rooms.hpp"
#include "config/options/options.hpp"
#include "net/network.hpp"
#include "routing/classify.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/log/log.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "telemetry/shapes/live_digest.hpp"
#include "wire/command.hpp"
#include "wire/reply_scan.hpp"
