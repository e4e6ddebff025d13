// Files in and out: the bytes, or the system's reason.
#include "ir/base/file.hpp"

#include <filesystem>

#include <doctest/doctest.h>

using namespace tirx;

TEST_CASE("what was written is read") {
  const auto path = std::filesystem::temp_directory_path() / "tirx_file_test";
  const std::string bytes("a\0b\n\xff", 5);
  CHECK(!write_file(path.string(), "shown", bytes));
  const Result<std::string> read = read_file(path.string(), "shown");
  REQUIRE(read.ok());
  CHECK(*read == bytes);
  std::filesystem::remove(path);
}

TEST_CASE("a file without end is no file") {
  const auto path = std::filesystem::temp_directory_path() / "tirx_file_test_large";
  CHECK(!write_file(path.string(), "shown", "12345"));
  CHECK(read_file(path.string(), "shown", 5).ok());
  CHECK(read_file(path.string(), "shown", 4).error().text == "cannot read 'shown': File too large");
  std::filesystem::remove(path);
}

TEST_CASE("a failure names the file as the user did, and says why") {
  CHECK(read_file("/nowhere/x", "x").error().text == "cannot read 'x': No such file or directory");
  CHECK(read_file("/", "folder").error().text == "cannot read 'folder': Is a directory");
  CHECK(write_file("/nowhere/x", "x", "1")->text == "cannot write 'x': No such file or directory");
  if (std::filesystem::exists("/dev/full")) {
    CHECK(write_file("/dev/full", "y", "1")->text == "cannot write 'y': No space left on device");
  }
}
