#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "proxy/judging/pending_request.hpp"
#include "telemetry/memory_budget.hpp"

namespace scattergate::proxy {

/// An intrusive list that owns pending requests. Adding one doesn't allocate.
class pending_list {
 public:
  pending_list() = default;
  pending_list(const pending_list&) = delete;
  pending_list& operator=(const pending_list&) = delete;
  ~pending_list() {
    while (size_ != 0) pop_front();
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] pending_request* first() const noexcept { return first_.get(); }
  [[nodiscard]] pending_request* last() const noexcept { return last_; }

  void push_back(std::unique_ptr<pending_request> request) noexcept {
    pending_request* const added = request.get();
    (size_ == 0 ? first_ : last_->next) = std::move(request);
    last_ = added;
    ++size_;
  }
  void push_front(std::unique_ptr<pending_request> request) noexcept {
    if (size_++ == 0) last_ = request.get();
    request->next = std::move(first_);
    first_ = std::move(request);
  }
  /// Removes and returns the first request. REQUIRES: the list isn't empty.
  [[nodiscard]] std::unique_ptr<pending_request> take_front() noexcept {
    auto taken = std::move(first_);
    first_ = std::move(taken->next);
    --size_;
    return taken;
  }
  void pop_front() noexcept { static_cast<void>(take_front()); }

 private:
  std::unique_ptr<pending_request> first_;
  pending_request* last_ = nullptr;  // valid if the list isn't empty
  std::size_t size_ = 0;
};

/// A worker's pool of unused pending requests.
class pending_pool {
 public:
  /// Takes a cleared request from the pool, or allocates one.
  [[nodiscard]] std::unique_ptr<pending_request> take() {
    return free_.size() == 0 ? std::make_unique<pending_request>() : free_.take_front();
  }
  /// Clears a request and keeps it for take(). Deletes it if the pool is full.
  void give_back(std::unique_ptr<pending_request> request) noexcept {
    if (free_.size() >= max_kept) return;
    request->clear();
    free_.push_front(std::move(request));
  }

 private:
  static constexpr std::size_t max_kept = 4096;
  pending_list free_;
};

/// A connection's requests that await replies, in the client's order. Limited in number, and in
/// bytes by the connection's memory share. At the limit, request_side reads nothing more from
/// the client. Thread-safety: the worker's thread.
class pending_queue {
 public:
  static constexpr std::size_t max_pending = 1024;
  /// The number of bytes that aren't charged to the share. The first request counts 0 bytes,
  /// and the last one may exceed the limit.
  static constexpr std::size_t own_bytes = 4096;

  explicit pending_queue(telemetry::memory_share& share) noexcept : lease_(share) {}

  [[nodiscard]] bool is_empty() const noexcept { return list_.size() == 0; }
  /// Whether a limit is reached. If so, call make_room() before push().
  [[nodiscard]] bool is_full() const noexcept {
    return list_.size() >= max_pending || bytes_ >= own_bytes + lease_.bytes();
  }
  /// Tries to charge more memory to the share; returns whether another request fits now.
  [[nodiscard]] bool make_room() noexcept {
    return list_.size() < max_pending && lease_.grow_to(bytes_ + own_bytes);
  }
  [[nodiscard]] std::size_t size() const noexcept { return list_.size(); }
  [[nodiscard]] pending_request& front() noexcept { return *list_.first(); }
  [[nodiscard]] pending_request& back() noexcept { return *list_.last(); }
  /// The first request; its `next` is the second. Null if the queue is empty.
  [[nodiscard]] const pending_request* first() const noexcept { return list_.first(); }

  /// Appends a request. Call it only if !is_full() or make_room().
  void push(std::unique_ptr<pending_request> request) noexcept {
    // The first request counts 0 bytes: it is accepted whatever its size.
    if (!is_empty()) {
      request->footprint = request->footprint_bytes();
      bytes_ += request->footprint;
    }
    list_.push_back(std::move(request));
  }

  /// Removes and returns the first request. REQUIRES: the queue isn't empty.
  [[nodiscard]] std::unique_ptr<pending_request> pop() noexcept {
    auto request = list_.take_front();
    bytes_ -= request->footprint;
    if (list_.size() == 0) lease_.release();
    return request;
  }

 private:
  pending_list list_;
  telemetry::memory_lease lease_;
  std::size_t bytes_ = 0;  // memory of the requests, without that of requests pushed when the
                           // queue was empty
};

}  // namespace scattergate::proxy
