// What does each rule of the grammar see before a node is made of it?  One struct per shape, its
// members in the order of the text; build.hpp turns it into its `Node`.  Fusion adapts them in
// parts_fusion.hpp. Every struct has two members or more: X3 collapses sequences of one.
#pragma once

#include "dsl/grammar/parts_expr.hpp"
#include "dsl/grammar/parts_stmt.hpp"
