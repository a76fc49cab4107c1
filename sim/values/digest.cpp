#include "sim/values/digest.hpp"

#include <algorithm>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

namespace scattergate::sim {
namespace {

const EVP_MD* method_of(digest_kind kind) {
  switch (kind) {
    case digest_kind::md5:
      return EVP_md5();
    case digest_kind::sha1:
      return EVP_sha1();
    case digest_kind::sha256:
      return EVP_sha256();
  }
  return nullptr;
}

const unsigned char* unsigned_of(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

unsigned char* unsigned_of(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

void need(bool worked) {
  if (!worked) throw std::runtime_error("OpenSSL failed");
}

}  // namespace

std::string digest(digest_kind kind, std::string_view bytes) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  need(EVP_Digest(bytes.data(), bytes.size(), unsigned_of(out), &size, method_of(kind),
                  nullptr) == 1);
  out.resize(size);
  return out;
}

std::string hmac(digest_kind kind, std::string_view key, std::string_view bytes) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  need(HMAC(method_of(kind), key.data(), static_cast<int>(key.size()), unsigned_of(bytes),
            bytes.size(), unsigned_of(out), &size) != nullptr);
  out.resize(size);
  return out;
}

std::string pbkdf2(digest_kind kind, std::string_view password, std::string_view salt,
                   int iterations) {
  const int size = EVP_MD_get_size(method_of(kind));
  std::string out(static_cast<std::size_t>(size), '\0');
  need(PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), unsigned_of(salt),
                         static_cast<int>(salt.size()), iterations, method_of(kind), size,
                         unsigned_of(out)) == 1);
  return out;
}

std::string random_bytes(std::size_t count) {
  std::string out(count, '\0');
  need(RAND_bytes(unsigned_of(out), static_cast<int>(count)) == 1);
  return out;
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const char each : bytes) {
    out += digits[static_cast<unsigned char>(each) >> 4U];
    out += digits[static_cast<unsigned char>(each) & 15U];
  }
  return out;
}

std::string base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size =
      EVP_EncodeBlock(unsigned_of(out), unsigned_of(bytes), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

std::string from_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return {};
  std::string out(text.size() / 4 * 3, '\0');
  if (EVP_DecodeBlock(unsigned_of(out), unsigned_of(text), static_cast<int>(text.size())) < 0) {
    return {};
  }
  // EVP_DecodeBlock counts the padding as bytes.
  const auto padding = std::count(text.end() - 2, text.end(), '=');
  out.resize(out.size() - static_cast<std::size_t>(padding));
  return out;
}

}  // namespace scattergate::sim
