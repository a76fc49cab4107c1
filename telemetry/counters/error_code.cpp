#include "telemetry/counters/error_code.hpp"

#include <algorithm>
#include <array>

namespace scattergate::telemetry {
namespace {

struct named_code {
  std::int32_t code;
  std::string_view name;
};

/// What clients of a mongos meet: by code, but for the first.
constexpr auto names = std::to_array<named_code>({
    {-1, "other"},
    {1, "InternalError"},
    {2, "BadValue"},
    {6, "HostUnreachable"},
    {7, "HostNotFound"},
    {9, "FailedToParse"},
    {11, "UserNotFound"},
    {13, "Unauthorized"},
    {14, "TypeMismatch"},
    {18, "AuthenticationFailed"},
    {20, "IllegalOperation"},
    {26, "NamespaceNotFound"},
    {27, "IndexNotFound"},
    {43, "CursorNotFound"},
    {48, "NamespaceExists"},
    {50, "MaxTimeMSExpired"},
    {59, "CommandNotFound"},
    {61, "ShardKeyNotFound"},
    {67, "CannotCreateIndex"},
    {70, "ShardNotFound"},
    {72, "InvalidOptions"},
    {73, "InvalidNamespace"},
    {85, "IndexOptionsConflict"},
    {86, "IndexKeySpecsConflict"},
    {89, "NetworkTimeout"},
    {91, "ShutdownInProgress"},
    {96, "OperationFailed"},
    {100, "UnsatisfiableWriteConcern"},
    {112, "WriteConflict"},
    {115, "CommandNotSupported"},
    {121, "DocumentValidationFailure"},
    {125, "CommandFailed"},
    {133, "FailedToSatisfyReadPreference"},
    {136, "CappedPositionLost"},
    {143, "CursorInUse"},
    {146, "ExceededMemoryLimit"},
    {166, "CommandNotSupportedOnView"},
    {175, "QueryPlanKilled"},
    {189, "PrimarySteppedDown"},
    {202, "NetworkInterfaceExceededTimeLimit"},
    {206, "NoSuchSession"},
    {211, "KeyNotFound"},
    {225, "TransactionTooOld"},
    {237, "CursorKilled"},
    {238, "NotImplemented"},
    {246, "SnapshotUnavailable"},
    {251, "NoSuchTransaction"},
    {256, "TransactionCommitted"},
    {262, "ExceededTimeLimit"},
    {263, "OperationNotSupportedInTransaction"},
    {286, "ChangeStreamHistoryLost"},
    {292, "QueryExceededMemoryLimitNoDiskUseAllowed"},
    {391, "ReauthenticationRequired"},
    {462, "IngressRequestRateLimitExceeded"},
    {10107, "NotWritablePrimary"},
    {10334, "BSONObjectTooLarge"},
    {11000, "DuplicateKey"},
    {11600, "InterruptedAtShutdown"},
    {11601, "Interrupted"},
    {11602, "InterruptedDueToReplStateChange"},
    {13388, "StaleConfig"},
    {13435, "NotPrimaryNoSecondaryOk"},
});
static_assert(std::ranges::is_sorted(names, std::ranges::less_equal{}, &named_code::code));
static_assert(names.size() <= max_error_places);

}  // namespace

std::size_t error_place(std::int32_t code) noexcept {
  const auto found = std::ranges::lower_bound(names, code, {}, &named_code::code);
  const bool is_named = found != names.end() && found->code == code;
  return is_named ? static_cast<std::size_t>(found - names.begin()) : 0;
}

const std::size_t error_places = names.size();

std::string_view error_name(std::size_t place) noexcept {
  return names[place].name;
}

}  // namespace scattergate::telemetry
