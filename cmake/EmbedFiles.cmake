# cmake "-DFILES=<a>;<b>" -DOUTPUT=<x.cpp> -P EmbedFiles.cmake
# The files' bytes as a C++ source that defines supn::page_files() (apps/view/page_files.hpp).
set(arrays "")
set(entries "")
set(number 0)
foreach(path IN LISTS FILES)
  get_filename_component(name ${path} NAME)
  file(READ ${path} hex HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND arrays "constexpr char kFile${number}[] = {${bytes}'\\0'};\n")
  string(APPEND entries "    PageFile{\"${name}\", {kFile${number}, sizeof(kFile${number}) - 1}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"view/page_files.hpp\"

#include <array>

namespace supn {
namespace {

${arrays}
constexpr std::array<PageFile, ${number}> kFiles{
${entries}};

}  // namespace

std::span<const PageFile> page_files() { return kFiles; }

}  // namespace supn
")
