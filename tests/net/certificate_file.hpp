#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace scattergate::net {

/// A file with a self-signed certificate for "localhost" and the certificate's private key.
/// The destructor deletes the file. Thread-safety: immutable.
class certificate_file {
 public:
  certificate_file() : path_(testing::TempDir() + "certificate-XXXXXX") {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{EVP_EC_gen("P-256"),
                                                                  EVP_PKEY_free};
    const std::unique_ptr<X509, decltype(&X509_free)> made{X509_new(), X509_free};
    X509_set_version(made.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
    X509_set_pubkey(made.get(), key.get());
    X509_NAME* name = X509_get_subject_name(made.get());
    const auto* host = reinterpret_cast<const unsigned char*>("localhost");
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, host, -1, -1, 0);
    X509_set_issuer_name(made.get(), name);
    X509_sign(made.get(), key.get(), EVP_sha256());
    const int fd = ::mkstemp(path_.data());
    std::FILE* file = ::fdopen(fd, "w");
    PEM_write_X509(file, made.get());
    PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
  }
  ~certificate_file() { std::remove(path_.c_str()); }
  certificate_file(const certificate_file&) = delete;
  certificate_file& operator=(const certificate_file&) = delete;

  /// The path of the PEM file.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace scattergate::net
