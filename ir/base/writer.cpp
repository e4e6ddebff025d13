#include "ir/base/writer.hpp"

namespace tirx {

void Writer::text_line(std::string_view text) {
  while (true) {
    const std::size_t stop = text.find('\n');
    const std::string_view one = text.substr(0, stop);
    if (!one.empty()) out_.append(static_cast<std::size_t>(depth_ * width_), ' ').append(one);
    out_ += '\n';
    if (stop == std::string_view::npos) return;
    text.remove_prefix(stop + 1);
  }
}

}  // namespace tirx
