// A doubly linked list whose links live in the elements. No allocation, O(1) removal.
//
// Ownership: the list borrows its elements; an element must be unlinked before it dies.
// Thread-safety: none; one thread at a time.
#pragma once

#include "perch/base/check.h"

namespace perch {

// Base of every element. `Tag` lets one element be on several lists.
template <class Tag = void>
class ListLink {
 public:
  ListLink() = default;
  ListLink(const ListLink&) = delete;
  ListLink& operator=(const ListLink&) = delete;

  bool is_linked() const { return next_ != nullptr; }
  void unlink() {
    if (next_ == nullptr) return;
    prev_->next_ = next_;
    next_->prev_ = prev_;
    next_ = prev_ = nullptr;
  }

 private:
  template <class T, class U>
  friend class IntrusiveList;
  ListLink* next_ = nullptr;
  ListLink* prev_ = nullptr;
};

template <class T, class Tag = void>
class IntrusiveList {
 public:
  using Link = ListLink<Tag>;

  IntrusiveList() { head_.next_ = head_.prev_ = &head_; }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;
  ~IntrusiveList() { head_.next_ = head_.prev_ = nullptr; }

  bool empty() const { return head_.next_ == &head_; }
  T& front() { return static_cast<T&>(*head_.next_); }

  void push_back(T& element) {
    Link& link = element;
    PERCH_DCHECK(!link.is_linked());
    link.prev_ = head_.prev_;
    link.next_ = &head_;
    head_.prev_->next_ = &link;
    head_.prev_ = &link;
  }
  T& pop_front() {
    T& element = front();
    static_cast<Link&>(element).unlink();
    return element;
  }
  // Moves every element of `other` to the end of this list.
  void splice_back(IntrusiveList& other) {
    if (other.empty()) return;
    Link* first = other.head_.next_;
    Link* last = other.head_.prev_;
    first->prev_ = head_.prev_;
    head_.prev_->next_ = first;
    last->next_ = &head_;
    head_.prev_ = last;
    other.head_.next_ = other.head_.prev_ = &other.head_;
  }
  // Calls `visit(T&)` for each element; `visit` may unlink the element it is given.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (Link* link = head_.next_; link != &head_;) {
      Link* next = link->next_;
      visit(static_cast<T&>(*link));
      link = next;
    }
  }

 private:
  Link head_;
};

}  // namespace perch
