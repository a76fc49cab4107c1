#include "config/options/option_files.hpp"

#include <array>
#include <string_view>

#include "config/driver/proxied_uri.hpp"
#include "config/options/catalog_uri.hpp"
#include "config/options/settings.hpp"

namespace scattergate::config {
namespace {

template <typename Of>
void note_file_of(const setting_of<Of>& one, const Of& from, problem_log& to) {
  if (one.names_file == nullptr) return;
  std::string file = one.show(from);
  if (one.names_file(file)) to.note_file(std::move(file));
}

/// The options of connection strings that name files, under their current and former names
/// (specifications: uri-options).
constexpr std::array<std::string_view, 4> tls_file_options = {
    "tlsCAFile", "tlsCertificateKeyFile", "sslCertificateAuthorityFile",
    "sslClientCertificateKeyFile"};

/// Notes the files in the connection string of a live catalog. If the string is made from
/// upstream_tls, its files are noted as settings.
void note_files_of_uri(const options& made, problem_log& to) {
  const bool is_given = !made.catalog.uri.empty() || !made.catalog.uri_file.empty();
  if (!made.catalog.is_live() || !is_given) return;
  const auto uri = find_catalog_uri(made);
  if (!uri) return;
  const auto parts = parse_uri(uri->text);
  if (!parts) return;
  for (const std::string_view name : tls_file_options) {
    if (auto file = parts->option(name)) to.note_file(*std::move(file));
  }
}

}  // namespace

void note_files(const options& made, problem_log& to) {
  for (const listener_options& listener : made.listeners) {
    for (const listener_setting& one : listener_settings()) note_file_of(one, listener, to);
  }
  for (const setting& one : settings()) note_file_of(one, made, to);
  note_files_of_uri(made, to);
}

}  // namespace scattergate::config
