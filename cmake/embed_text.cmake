# Text files into a C++ source: embed_text(OUTPUT FILE NAMESPACE tirx::cuda NAME prelude_files FILES …)
# defines `const std::string_view NAME[]` and `const std::size_t NAME_count` there.  Runs at configure
# time; editing a file configures again.
function(embed_text)
  cmake_parse_arguments(ARG "" "OUTPUT;NAMESPACE;NAME" "FILES" ${ARGN})
  set(body "")
  list(LENGTH ARG_FILES count)
  foreach(file ${ARG_FILES})
    file(READ ${file} text)
    # Compilers limit the length of one literal; pieces are joined by the compiler.
    string(REPLACE "\n\n" "\n)text\"\n    R\"text(\n" text "${text}")
    string(APPEND body "    R\"text(${text})text\",\n")
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  file(CONFIGURE OUTPUT ${ARG_OUTPUT} CONTENT [[
// Written by cmake/embed_text.cmake.
#include <cstddef>
#include <string_view>

namespace @ARG_NAMESPACE@ {
extern const std::string_view @ARG_NAME@[];
extern const std::size_t @ARG_NAME@_count;
const std::string_view @ARG_NAME@[] = {
@body@};
const std::size_t @ARG_NAME@_count = @count@;
}  // namespace @ARG_NAMESPACE@
]] @ONLY)
endfunction()
