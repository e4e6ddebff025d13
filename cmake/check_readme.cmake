# Does README show what a user sees?  Run as a test: cmake -DROOT=… -DTIRX=… -DDIR=… -P check_readme.cmake
# The kernel of README is run in DIR and must say what README says; with the missing barrier, its CUDA
# must be the one that is shown.
cmake_minimum_required(VERSION 3.25)
file(READ ${ROOT}/README.md page)

# The text between the first `fence` and the ``` after it.
function(shown fence out)
  string(FIND "${page}" "${fence}\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "README.md has no block that begins with ${fence}")
  endif()
  string(LENGTH "${fence}\n" length)
  math(EXPR begin "${begin} + ${length}")
  string(SUBSTRING "${page}" ${begin} -1 rest)
  string(FIND "${rest}" "```" end)
  string(SUBSTRING "${rest}" 0 ${end} text)
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

shown("```python" kernel)
shown("`tirx run transpose.tx` says:\n\n```" says)
shown("```cuda" cuda)
file(WRITE ${DIR}/transpose.tx "${kernel}")
execute_process(COMMAND ${TIRX} run transpose.tx WORKING_DIRECTORY ${DIR}
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
if(NOT code EQUAL 1 OR NOT output STREQUAL says)
  message(FATAL_ERROR "README's kernel ends with ${code} and says\n${output}")
endif()
string(REPLACE "    for i in range(32):\n" "    T.cuda.cta_sync()\n    for i in range(32):\n" kernel "${kernel}")
file(WRITE ${DIR}/transpose.tx "${kernel}")
execute_process(COMMAND ${TIRX} run transpose.tx WORKING_DIRECTORY ${DIR}
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
if(NOT code EQUAL 0 OR NOT output STREQUAL "")
  message(FATAL_ERROR "README's kernel with its barrier ends with ${code} and says\n${output}")
endif()
execute_process(COMMAND ${TIRX} emit --cuda transpose.tx WORKING_DIRECTORY ${DIR} OUTPUT_VARIABLE output)
string(FIND "${output}" "${cuda}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "README's CUDA is not what is emitted:\n${output}")
endif()
