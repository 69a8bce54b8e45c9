// The sections of the suite. Each makes its problems, runs its contests, and adds its rows.
#pragma once

#include "suite.hpp"

namespace supn::bench {

// Exact sampling against Jacobi iterations, sparse triangular solvers and the dense normal.
void sampling_rows(Suite& suite);

// log_prob against a sparse product; the likelihood's loss with gradients against convolutions and
// shifted products, time and memory.
void likelihood_rows(Suite& suite);

// Exact marginal variances against Monte Carlo that is as accurate.
void marginal_rows(Suite& suite);

// Conditional mean and samples against Cholesky factors of the unknown pixels' precision.
void conditioning_rows(Suite& suite);

// Everything above in the order from coarse to fine, against the raster order's own and its peers.
void coarse_to_fine_rows(Suite& suite);

// How cost grows with pixels, samples, known pixels, threads and radius.
void growth_curves(Suite& suite);

}  // namespace supn::bench
