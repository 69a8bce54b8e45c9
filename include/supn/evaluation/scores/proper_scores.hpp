// Proper scores of samples x_1 … x_S of a joint distribution against a value y: lower is better,
// and the true distribution is best in expectation (Gneiting and Raftery 2007; Scheuerer and Hamill
// 2015). Unlike marginal scores they see dependence between pixels: the variogram score most of
// all.
//
//   energy     [mean_s ‖x_s − y‖ − ½·mean_{s≠t} ‖x_s − x_t‖] / √P
//   variogram  mean over pairs (i, j) of (mean_s √|x_si − x_sj| − √|y_i − y_j|)²
//
// Values that are not finite make a score NaN or infinite.
#pragma once

#include <ATen/core/Tensor.h>

namespace supn {

// samples [S,P], values [V,P]; the mean over the V values. S >= 2. Throws c10::Error for other
// shapes.
double energy_score(const at::Tensor& samples, const at::Tensor& values);

// Scores maps, samples [S,h,w] against values [V,h,w], over all horizontal and vertical pairs at
// distances 1, 2, 4, 8 and 16. Each distance and direction has equal weight.
double variogram_score(const at::Tensor& samples, const at::Tensor& values);

// Scores points, samples [S,P] against values [P], over the pairs (first[i], second[i]), int64 [Q].
// Without pairs the score is NaN.
double variogram_score_of_pairs(const at::Tensor& samples,
                                const at::Tensor& values,
                                const at::Tensor& first,
                                const at::Tensor& second);

}  // namespace supn
