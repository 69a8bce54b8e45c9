#include "gaussian/large_buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>

#include "gaussian/huge_pages.hpp"

namespace supn {
namespace {

constexpr std::size_t kCacheLine = 64;

struct Piece {
  double* data;
  std::size_t bytes;
};

// The pieces that nobody uses, the oldest first.
class KeptPieces {
 public:
  // Returns the smallest that is large enough, but not twice as large, or none.
  Piece take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    auto best = pieces_.end();
    for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece) {
      if (piece->bytes < bytes || piece->bytes / 2 > bytes) continue;
      if (best == pieces_.end() || piece->bytes <= best->bytes) best = piece;
    }
    if (best == pieces_.end()) return {nullptr, 0};
    const Piece found = *best;
    pieces_.erase(best);
    bytes_ -= found.bytes;
    return found;
  }

  void keep(const Piece& piece) {
    if (piece.bytes < LargeBuffer::kLeastKept || piece.bytes > LargeBuffer::kMostKept) {
      return std::free(piece.data);
    }
    const std::lock_guard lock(mutex_);
    pieces_.push_back(piece);
    bytes_ += piece.bytes;
    while (bytes_ > LargeBuffer::kMostKept) {
      bytes_ -= pieces_.front().bytes;
      std::free(pieces_.front().data);
      pieces_.pop_front();
    }
  }

 private:
  std::mutex mutex_;
  std::deque<Piece> pieces_;
  std::size_t bytes_ = 0;
};

// Never destroyed: buffers may be given back while the program ends.
KeptPieces& kept_pieces() {
  static auto* const kept = new KeptPieces;
  return *kept;
}

Piece new_piece(std::size_t wanted) {
  const std::size_t alignment = wanted < kHugePage ? kCacheLine : kHugePage;
  const std::size_t bytes =
      std::max<std::size_t>(1, (wanted + alignment - 1) / alignment) * alignment;
  auto* const data = static_cast<double*>(std::aligned_alloc(alignment, bytes));
  if (data == nullptr) throw std::bad_alloc();
  prefer_huge_pages(data, bytes);
  return {data, bytes};
}

}  // namespace

LargeBuffer::LargeBuffer(std::int64_t count) : data_(nullptr, Release{0}) {
  const std::size_t wanted = static_cast<std::size_t>(count) * sizeof(double);
  Piece piece = kept_pieces().take(wanted);
  if (piece.data == nullptr) piece = new_piece(wanted);
  data_ = {piece.data, Release{piece.bytes}};
}

void LargeBuffer::Release::operator()(double* data) const { kept_pieces().keep({data, bytes}); }

}  // namespace supn
