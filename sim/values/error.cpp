#include "sim/values/error.hpp"

#include <array>
#include <utility>

namespace scattergate::sim {
namespace {

constexpr auto names = std::to_array<std::pair<errc, std::string_view>>({
    {errc::bad_value, "BadValue"},
    {errc::failed_to_parse, "FailedToParse"},
    {errc::unauthorized, "Unauthorized"},
    {errc::type_mismatch, "TypeMismatch"},
    {errc::overflow, "Overflow"},
    {errc::invalid_length, "InvalidLength"},
    {errc::search_not_enabled, "SearchNotEnabled"},
    {errc::authentication_failed, "AuthenticationFailed"},
    {errc::illegal_operation, "IllegalOperation"},
    {errc::already_initialized, "AlreadyInitialized"},
    {errc::namespace_not_found, "NamespaceNotFound"},
    {errc::index_not_found, "IndexNotFound"},
    {errc::path_not_viable, "PathNotViable"},
    {errc::conflicting_update_operators, "ConflictingUpdateOperators"},
    {errc::cursor_not_found, "CursorNotFound"},
    {errc::namespace_exists, "NamespaceExists"},
    {errc::dollar_prefixed_field_name, "DollarPrefixedFieldName"},
    {errc::command_not_found, "CommandNotFound"},
    {errc::shard_key_not_found, "ShardKeyNotFound"},
    {errc::immutable_field, "ImmutableField"},
    {errc::cannot_create_index, "CannotCreateIndex"},
    {errc::shard_not_found, "ShardNotFound"},
    {errc::invalid_options, "InvalidOptions"},
    {errc::invalid_namespace, "InvalidNamespace"},
    {errc::index_options_conflict, "IndexOptionsConflict"},
    {errc::index_key_specs_conflict, "IndexKeySpecsConflict"},
    {errc::write_conflict, "WriteConflict"},
    {errc::command_not_supported, "CommandNotSupported"},
    {errc::conflicting_operation_in_progress, "ConflictingOperationInProgress"},
    {errc::namespace_not_sharded, "NamespaceNotSharded"},
    {errc::command_not_supported_on_view, "CommandNotSupportedOnView"},
    {errc::invalid_pipeline_operator, "InvalidPipelineOperator"},
    {errc::query_feature_not_allowed, "QueryFeatureNotAllowed"},
    {errc::transaction_too_old, "TransactionTooOld"},
    {errc::no_such_transaction, "NoSuchTransaction"},
    {errc::transaction_committed, "TransactionCommitted"},
    {errc::operation_not_supported_in_transaction, "OperationNotSupportedInTransaction"},
    {errc::bson_object_too_large, "BSONObjectTooLarge"},
    {errc::duplicate_key, "DuplicateKey"},
});

}  // namespace

std::string code_name(errc code) {
  for (const auto& [known, name] : names) {
    if (known == code) return std::string{name};
  }
  return "Location" + std::to_string(static_cast<std::int32_t>(code));
}

}  // namespace scattergate::sim
