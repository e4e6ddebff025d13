// Counts of memory requests, against numbers worked out by hand.
#include "sim/machine/stats.hpp"

#include <array>

#include <doctest/doctest.h>

using namespace tirx::sim;  // NOLINT(google-build-using-namespace)

namespace {

std::array<std::int64_t, 32> strided(std::int64_t begin, std::int64_t step) {
  std::array<std::int64_t, 32> address{};
  for (std::size_t lane = 0; lane < 32; ++lane) {
    address[lane] = begin + step * static_cast<std::int64_t>(lane);
  }
  return address;
}

BankPasses passes(std::int64_t step, std::int64_t bytes, std::uint32_t lanes = kFullMask) {
  return bank_passes(strided(0, step).data(), lanes, bytes);
}

Sectors touched(std::int64_t begin,
                std::int64_t step,
                std::int64_t bytes,
                std::uint32_t lanes = kFullMask) {
  return sectors(strided(begin, step).data(), lanes, bytes);
}

}  // namespace

TEST_CASE("banks: a stride of 2^n words is a 2^n-way conflict, an odd one is none") {
  for (const std::uint32_t words : {1U, 2U, 4U, 8U, 16U, 32U}) {
    CHECK(passes(std::int64_t{4} * words, 4).passes == words);
    CHECK(passes(std::int64_t{4} * words, 4).worst == words);
    CHECK(passes(std::int64_t{4} * words, 4).least == 1);
  }
  CHECK(passes(4 * 33, 4).passes == 1);
  CHECK(passes(4 * 31, 4).passes == 1);
  CHECK(passes(4 * 64, 4).passes == 32);
}

TEST_CASE("banks: lanes that want the same word are served together") {
  CHECK(passes(0, 4).passes == 1);
  CHECK(passes(2, 2).passes == 1);  // two lanes a word
  CHECK(passes(1, 1).passes == 1);
  CHECK(passes(0, 16).passes == 4);  // once for each quarter of the warp
}

TEST_CASE("banks: wide accesses are served half a warp and a quarter at a time") {
  CHECK(passes(8, 8).passes == 2);
  CHECK(passes(8, 8).worst == 1);
  CHECK(passes(16, 16).passes == 4);
  CHECK(passes(16, 16).least == 4);
  // 8 bytes, 16 apart: of 16 lanes, lanes 0 and 8 meet at banks 0 and 1.
  CHECK(passes(16, 8).passes == 4);
  // 16 bytes, 32 apart: of 8 lanes, lanes 0 and 4 meet.
  CHECK(passes(32, 16).passes == 8);
  CHECK(passes(128, 16).passes == 32);
}

TEST_CASE("banks: only lanes that take part count") {
  CHECK(passes(128, 4, 0x1).passes == 1);
  CHECK(passes(128, 4, 0x80000001U).passes == 2);
  CHECK(passes(16, 16, 0xff).passes == 1);
  CHECK(passes(16, 16, 0xff).least == 1);
  CHECK(passes(4, 4, 0).passes == 0);
}

TEST_CASE("sectors: side by side, strided, broadcast, off by one") {
  CHECK(touched(0, 4, 4).touched == 4);
  CHECK(touched(0, 8, 4).touched == 8);
  CHECK(touched(0, 32, 4).touched == 32);
  CHECK(touched(0, 32, 4).least == 4);
  CHECK(touched(0, 0, 4).touched == 1);
  CHECK(touched(0, 0, 4).least == 1);
  CHECK(touched(4, 4, 4).touched == 5);  // one sector more than an aligned warp
  CHECK(touched(4, 4, 4).least == 4);
  CHECK(touched(0, 16, 16).touched == 16);
  CHECK(touched(0, 2, 2).touched == 2);
  CHECK(touched(28, 64, 8, 0x3).touched == 4);  // each lies across a border
  CHECK(touched(0, 4, 8).touched == 5);         // overlapping: bytes 0 to 132
  CHECK(touched(0, 4, 8).least == 5);
  CHECK(touched(0, 4, 4, 0).touched == 0);
}
