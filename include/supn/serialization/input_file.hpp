// These functions read files that others wrote; they say why one can't be read before its content
// is judged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace supn {

// Tells whether there is anything of that name. What can't be looked up, or is a link that leads
// nowhere, counts: reading it says what is wrong.
bool is_there(const std::filesystem::path& path);

// Throws IoError unless `path` is a file that may be read and that holds something of its own: says
// that there is none, that a link leads nowhere, that permission is missing, that it is a folder or
// device, that it is empty, that it is a pointer of Git LFS or a web page in place of a download.
void require_file(const std::filesystem::path& path);

// Returns the whole content. Throws IoError as require_file, and for a file larger than `limit`
// bytes.
std::string read_file(const std::filesystem::path& path, std::uintmax_t limit);

// Reads a text likewise, without the byte-order mark that editors put in front of UTF-8. Throws
// IoError for UTF-16, naming the encoding to save it in.
std::string read_text(const std::filesystem::path& path, std::uintmax_t limit);

}  // namespace supn
