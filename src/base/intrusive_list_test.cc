#include "perch/base/intrusive_list.h"

#include <vector>

#include <gtest/gtest.h>

namespace perch {
namespace {

struct ByAge {};
struct Item : ListLink<>, ListLink<ByAge> {
  explicit Item(int value_in) : value(value_in) {}
  int value;
};

std::vector<int> values(IntrusiveList<Item>& list) {
  std::vector<int> seen;
  list.for_each([&](Item& item) { seen.push_back(item.value); });
  return seen;
}

TEST(IntrusiveList, KeepsTheOrderOfPushes) {
  IntrusiveList<Item> list;
  Item a(1), b(2);
  EXPECT_TRUE(list.empty());
  list.push_back(a);
  list.push_back(b);
  EXPECT_EQ(values(list), (std::vector{1, 2}));
  EXPECT_EQ(list.pop_front().value, 1);
  EXPECT_EQ(list.front().value, 2);
}

TEST(IntrusiveList, ElementUnlinksItselfFromTheMiddle) {
  IntrusiveList<Item> list;
  Item a(1), b(2), c(3);
  for (Item* item : {&a, &b, &c}) list.push_back(*item);
  b.ListLink<>::unlink();
  EXPECT_FALSE(b.ListLink<>::is_linked());
  EXPECT_EQ(values(list), (std::vector{1, 3}));
  b.ListLink<>::unlink();
  EXPECT_EQ(values(list), (std::vector{1, 3}));
}

TEST(IntrusiveList, OneElementMayBeOnTwoListsByTag) {
  IntrusiveList<Item> all;
  IntrusiveList<Item, ByAge> by_age;
  Item a(1);
  all.push_back(a);
  by_age.push_back(a);
  all.pop_front();
  EXPECT_FALSE(a.ListLink<>::is_linked());
  EXPECT_EQ(by_age.front().value, 1);
}

TEST(IntrusiveList, SpliceMovesAllToTheEnd) {
  IntrusiveList<Item> first, second;
  Item a(1), b(2), c(3);
  first.push_back(a);
  second.push_back(b);
  second.push_back(c);
  first.splice_back(second);
  EXPECT_EQ(values(first), (std::vector{1, 2, 3}));
  EXPECT_TRUE(second.empty());
  first.splice_back(second);
  EXPECT_EQ(values(first), (std::vector{1, 2, 3}));
}

TEST(IntrusiveList, VisitorMayUnlinkTheElementItIsGiven) {
  IntrusiveList<Item> list;
  Item a(1), b(2), c(3);
  for (Item* item : {&a, &b, &c}) list.push_back(*item);
  list.for_each([](Item& item) {
    if (item.value != 2) item.ListLink<>::unlink();
  });
  EXPECT_EQ(values(list), (std::vector{2}));
}

}  // namespace
}  // namespace perch
