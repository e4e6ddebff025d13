// Random pieces of a kernel in which threads meet: each is entered and left by all threads of the
// CTA together, and leaves nothing behind that a later piece could race with.
#pragma once

#include "fuzz/generate/draft.hpp"

namespace tirx::fuzz {

/// Threads write a shared array, meet at a barrier, read each other's elements, and meet again.
void shared_exchange(Draft& draft);
/// The same inside a warp, with warp_sync.
void warp_private_exchange(Draft& draft);
/// Some warps arrive at a named barrier and go on, the others wait there.
void producer_consumer(Draft& draft);
/// Shuffles, votes, matches, reductions over the lanes.
void warp_exchange(Draft& draft);
/// Integer atomics in shared and global memory, whose results do not depend on their order.
void atomics(Draft& draft);
/// Tiles through shared memory and registers, by copies of random scope, type and layout.
void tile_copies(Draft& draft);

/// Elementwise tile operations in shared memory and in register fragments.
void elementwise(Draft& draft);
/// A ring of stages filled by cp.async while others are read.
void async_pipeline(Draft& draft);

/// sum, max and min over axes of shared tiles and of register fragments.
void tile_reductions(Draft& draft);
/// permute_layout in shared memory and in registers.
void permutations(Draft& draft);
/// Products of register tiles by mma.sync, of every pair of types, through ldmatrix or not.
void matrix_products(Draft& draft);
/// One scale for a block of elements: layouts with strides of 0, and products with promotion.
void block_scales(Draft& draft);
/// Stages that are filled and emptied by turns, ordered by mbarriers.
void mbarrier_pipeline(Draft& draft);
/// The CTAs of a cluster read what the others wrote.
void cluster_exchange(Draft& draft);
/// Copies that run over the end of a buffer, by one thread, in one access, or by force of a
/// variant.
void edge_copies(Draft& draft);

/// Operations on tiles in registers, at every scope.
void register_tiles(Draft& draft);
/// Products shared out over warps, of operands that lie in random registers.
void shared_out_products(Draft& draft);
/// ldmatrix and stmatrix by every scope.
void matrix_rows(Draft& draft);
/// cp.async with everything that can be said about it.
void asynchronous_copies(Draft& draft);
/// Copies of pieces by every scope, of every rank, at places that are computed.
void pieces(Draft& draft);
/// Elementwise operations and reductions whose operands have other shapes, or are computed.
void shapes_and_scalars(Draft& draft);

/// A function inside of the kernel, called in several places.
void inlined(Draft& draft);

/// Instructions by their PTX names.
void instructions(Draft& draft);

/// A barrier of the whole CTA, in one of its spellings.
void cta_barrier(Draft& draft);

/// A condition that holds for all threads of one warp, in one of its spellings.
[[nodiscard]] std::string one_warp(Draft& draft);

/// A host variable that holds a layout of the shape: one of two, by ALT, which must not matter.
[[nodiscard]] std::string random_layout(Draft& draft, int rows, int columns);

}  // namespace tirx::fuzz
