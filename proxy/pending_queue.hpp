#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "proxy/pending_request.hpp"

namespace scattergate::proxy {

/// Where a worker keeps pending requests that nobody uses: an idle connection holds none.
/// Thread-safety: one thread.
class pending_pool {
 public:
  [[nodiscard]] std::unique_ptr<pending_request> take() {
    if (free_.empty()) return std::make_unique<pending_request>();
    auto request = std::move(free_.back());
    free_.pop_back();
    return request;
  }
  void give_back(std::unique_ptr<pending_request> request) {
    if (free_.size() >= max_kept) return;
    request->clear();
    free_.push_back(std::move(request));
  }

 private:
  static constexpr std::size_t max_kept = 4096;
  std::vector<std::unique_ptr<pending_request>> free_;
};

/// The requests of one connection that wait for their replies, in order. Bounded: at the bound
/// nothing more is read from the client.
/// Thread-safety: one thread.
class pending_queue {
 public:
  static constexpr std::size_t max_pending = 1024;

  [[nodiscard]] bool is_empty() const noexcept { return head_ == requests_.size(); }
  [[nodiscard]] bool is_full() const noexcept { return size() >= max_pending; }
  [[nodiscard]] std::size_t size() const noexcept { return requests_.size() - head_; }
  [[nodiscard]] pending_request& front() noexcept { return *requests_[head_]; }
  [[nodiscard]] pending_request& operator[](std::size_t i) noexcept {
    return *requests_[head_ + i];
  }

  void push(std::unique_ptr<pending_request> request) {
    requests_.push_back(std::move(request));
  }

  [[nodiscard]] std::unique_ptr<pending_request> pop() {
    auto request = std::move(requests_[head_++]);
    if (head_ == requests_.size()) {
      requests_.clear();
      head_ = 0;
    } else if (head_ >= max_pending) {
      requests_.erase(requests_.begin(),
                      requests_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    return request;
  }

 private:
  std::vector<std::unique_ptr<pending_request>> requests_;
  std::size_t head_ = 0;  // requests_ before it have been answered
};

}  // namespace scattergate::proxy
