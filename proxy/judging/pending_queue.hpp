#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "proxy/judging/pending_request.hpp"
#include "telemetry/memory_budget.hpp"

namespace scattergate::proxy {

/// An intrusive list that owns pending requests. Adding a request doesn't allocate.
class pending_list {
 public:
  pending_list() = default;
  pending_list(const pending_list&) = delete;
  pending_list& operator=(const pending_list&) = delete;
  ~pending_list() {
    while (size_ != 0) pop_front();
  }

  /// The number of requests in the list.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The first request; null if the list is empty.
  [[nodiscard]] pending_request* first() const noexcept { return first_.get(); }
  /// The last request. REQUIRES: the list isn't empty.
  [[nodiscard]] pending_request* last() const noexcept { return last_; }

  /// Adds a request at the end.
  void push_back(std::unique_ptr<pending_request> request) noexcept {
    pending_request* const added = request.get();
    (size_ == 0 ? first_ : last_->next) = std::move(request);
    last_ = added;
    ++size_;
  }
  /// Adds a request at the beginning.
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
  /// Deletes the first request. REQUIRES: the list isn't empty.
  void pop_front() noexcept { static_cast<void>(take_front()); }

 private:
  std::unique_ptr<pending_request> first_;
  pending_request* last_ = nullptr;  // valid if the list isn't empty
  std::size_t size_ = 0;
};

/// A worker's pool of unused pending requests, so that most requests need no allocation.
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

/// A connection's requests that await replies, in the order in which the client sent them. The
/// queue is limited in number, and in bytes by the connection's memory share (its part of
/// limits.memory). At a limit, request_side stops reading from the client. Thread-safety: the
/// worker's thread.
class pending_queue {
 public:
  /// The maximum number of requests in the queue.
  static constexpr std::size_t max_pending = 1024;
  /// The memory, in bytes, that the queue may use without charging the memory share. The first
  /// request counts as 0 bytes. The last request may exceed the limit.
  static constexpr std::size_t own_bytes = 4096;

  /// `share`: the connection's memory share; must outlive this object.
  explicit pending_queue(telemetry::memory_share& share) noexcept : lease_(share) {}

  [[nodiscard]] bool is_empty() const noexcept { return list_.size() == 0; }
  /// Whether the limit in number or in bytes is reached. If so, call make_room() before
  /// push().
  [[nodiscard]] bool is_full() const noexcept {
    return list_.size() >= max_pending || bytes_ >= own_bytes + lease_.bytes();
  }
  /// Tries to make room for another request, by charging memory to the memory share. Returns
  /// whether another request fits now.
  [[nodiscard]] bool make_room() noexcept {
    return list_.size() < max_pending && lease_.grow_to(bytes_ + own_bytes);
  }
  /// The number of requests in the queue.
  [[nodiscard]] std::size_t size() const noexcept { return list_.size(); }
  /// The oldest request. REQUIRES: the queue isn't empty.
  [[nodiscard]] pending_request& front() noexcept { return *list_.first(); }
  /// The newest request. REQUIRES: the queue isn't empty.
  [[nodiscard]] pending_request& back() noexcept { return *list_.last(); }
  /// The oldest request; null if the queue is empty. Follow pending_request::next to iterate.
  [[nodiscard]] const pending_request* first() const noexcept { return list_.first(); }

  /// Appends a request. REQUIRES: is_full() returned false, or make_room() returned true.
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
