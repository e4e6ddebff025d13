// Fingerprints of scalar operations and conversions, from those of their sources.
#include "numerics/fingerprint.hpp"

#include <initializer_list>

#include "numerics/approx/approx.hpp"
#include "numerics/cuda_math.hpp"
#include "numerics/evidence.hpp"

namespace tirx::num {
namespace {

std::string of_files(std::initializer_list<std::string_view> files) {
  std::string all;
  for (const std::string_view file : files) all += std::string(source_fingerprint(file)) + ";";
  return text_fingerprint(all);
}

}  // namespace

std::string fingerprint(ScalarOp op) {
  const std::string sequence = cuda_source_of(op);
  if (!sequence.empty()) return text_fingerprint(sequence);
  if (declared_row(op).exactness == Exactness::table) {
    return of_files({"approx/approx.cpp", "approx/tables.cpp", approx_table_file(op)});
  }
  if ((declared_row(op).types & type_bit(DType::f32)) == 0) {
    return of_files({"lane_kernels/int_ops.inc"});
  }
  return of_files({"lane_kernels/formats.inc", "lane_kernels/float_ops.inc"});
}

std::string conversion_fingerprint() {
  return of_files({"codec.cpp", "convert.cpp"});
}

}  // namespace tirx::num
