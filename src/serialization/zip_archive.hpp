// The entries of a zip file whose members are stored as they are, not compressed: what torch.save
// writes. Zip64 included; the checksums are not verified, since torch.save may leave them out.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace supn {

class ZipArchive {
 public:
  // Throws DamagedFile for anything that is truncated, encrypted, or lies outside the file. `bytes`
  // must outlive this.
  explicit ZipArchive(std::string_view bytes);

  bool has(std::string_view name) const { return entries_.find(name) != entries_.end(); }
  // The first name, in alphabetical order, that ends so; empty if there is none.
  std::string name_ending_with(std::string_view ending) const;
  // Returns the content. Throws DamagedFile if there is no such entry or it is compressed.
  std::string_view at(std::string_view name) const;
  std::size_t bytes() const { return bytes_; }  // of the whole file

 private:
  std::size_t bytes_;
  enum class Method { kStored, kCompressed };
  struct Entry {
    std::string_view content;
    Method method;
  };
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace supn
