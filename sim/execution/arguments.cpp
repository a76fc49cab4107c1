#include "sim/execution/arguments.hpp"

#include "sim/values/error.hpp"

namespace scattergate::sim {
namespace {

[[noreturn]] void mismatch(std::string_view name, const value& found, const char* expected) {
  refuse(errc::type_mismatch, "BSON field '" + std::string{name} + "' is the wrong type '" +
                                  std::string{type_alias(found.type())} + "', expected type '" +
                                  expected + "'");
}

/// The content of a field; null if the field is absent.
template <typename T>
const T* content_of(const document& from, std::string_view name, const char* type) {
  const value* found = argument(from, name);
  if (found != nullptr && !found->is<T>()) mismatch(name, *found, type);
  return as<T>(found);
}

}  // namespace

const value* argument(const document& from, std::string_view name) noexcept {
  const value* found = from.find(name);
  const bool is_absent = found == nullptr || found->is<null>() || found->is<undefined>();
  return is_absent ? nullptr : found;
}

std::string text_argument(const document& from, std::string_view name) {
  const auto* text = content_of<std::string>(from, name, "string");
  return text == nullptr ? std::string{} : *text;
}

std::int64_t number_argument(const document& from, std::string_view name,
                             std::int64_t otherwise) {
  const value* found = argument(from, name);
  if (found == nullptr) return otherwise;
  if (!found->is_number()) mismatch(name, *found, "long");
  return found->as_int64();
}

bool flag_argument(const document& from, std::string_view name, bool otherwise) {
  const value* found = argument(from, name);
  if (found == nullptr) return otherwise;
  if (!found->is<bool>() && !found->is_number()) mismatch(name, *found, "bool");
  return found->is_truthy();
}

const document& document_argument(const document& from, std::string_view name) {
  static const document nothing;
  const auto* content = content_of<document>(from, name, "object");
  return content == nullptr ? nothing : *content;
}

const array& array_argument(const document& from, std::string_view name) {
  static const array nothing;
  const auto* members = content_of<array>(from, name, "array");
  return members == nullptr ? nothing : *members;
}

const value& needed_argument(const document& from, std::string_view name) {
  const value* found = from.find(name);
  if (found == nullptr) {
    refuse(errc::failed_to_parse,
           "BSON field '" + std::string{name} + "' is missing but a required field");
  }
  return *found;
}

}  // namespace scattergate::sim
