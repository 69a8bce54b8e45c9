// Which BLAS a process really calls, as the library itself reports it.
#pragma once

#include <string>

namespace supn::bench {

// "libblas.so.3, OpenBLAS 0.3.21 …, kernels for Haswell": the file that dtrsm_ comes from, and what
// the library says of its version and of the kernels that it runs on this processor. Neither the
// environment nor what was linked tells that.
std::string running_blas();

// Makes OpenBLAS use this many threads; other libraries keep theirs.
void set_blas_threads(int threads);

}  // namespace supn::bench
