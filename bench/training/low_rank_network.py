"""A network of our compact backbone whose covariance is a low-rank factor and a diagonal, Σ = PᵀP + D
(Monteiro et al., "Stochastic Segmentation Networks", 2020), trained and evaluated as configs/kitti_mini.yaml is.

usage: low_rank_network.py --data DIR --samples DIR --weights FILE --out DIR [--epochs 14] [--rank 10]
                           [--seed 0] [--threads 2] [--evaluate-only]

DIR of --data is in KITTI's raw layout with splits/{train,val,test_eigen}_files.txt, of --samples what supn_ensemble
wrote, FILE the member of compact backbone that the mean starts from; the first of the members is left out.
Written: OUT/model.pt, the best epoch by the validation likelihood; in OUT/trained, and in OUT/fitted for the width of P
fitted to the validation images: ten and exact, maps for `supn_eval --external` (ranked by the std of ten samples and by
the exact marginals); scores.json, means over the test images of the scores that supn_eval has no maps for.
Needs torch, numpy, pillow, safetensors.
"""

import argparse
import functools
import json
import math
import os
import time

import numpy as np
import safetensors.torch
import torch
import torch.nn.functional as F
from eager_step import coordinates
from known_depths import conditioned_errors, depth_of
from low_rank_gaussian import (
    LowRankGaussian,
    coefficient_moments,
    condition,
    density,
    disparity,
    disparity_std,
    draw,
    variance,
)
from PIL import Image
from sample_scores import spread_ratio, texture
from torch import nn

HEIGHT, WIDTH = 192, 640
FEATURES = (16, 32, 64, 96)  # channels of strides 1, 2, 4, 8
BOTTLENECK = 192
FINE_CHANNELS = 32  # behind the features of full size
START_STD = 0.08  # of the field that an untrained network draws, as network.start.std
START_NOISE = 0.02  # and of the pixels' own noise


def convolution(channels, out):
    """3×3 after reflection padding."""
    return nn.Conv2d(channels, out, 3, padding=1, padding_mode="reflect")


class MeanNetwork(nn.Module):
    """The compact backbone, by the names of the members' files: the finest logits and the features."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False)
        stages, ladder = (64, 64, 128, 192), (192, 96, 96, 64, 64, 32, 32, 16, 16)
        self.convs = nn.ModuleList(
            nn.Sequential(nn.Conv2d(a, b, 3, 2, 1), nn.LeakyReLU(0.1), nn.Conv2d(b, b, 3, 1, 1), nn.LeakyReLU(0.1))
            for a, b in zip(stages, stages[1:])
        )
        steps = [nn.ModuleDict({"conv": convolution(a, b)}) for a, b in zip(ladder, ladder[1:])]
        self.decoder = nn.ModuleList([*steps, nn.ModuleDict({"conv3": nn.Conv2d(16, 1, 3, padding=1)})])

    def forward(self, image):
        x = F.relu(self.conv1((image - 0.45) / 0.225))
        for stage in self.convs:
            x = stage(x)
        features = [x]
        for before, after in zip(self.decoder[0:8:2], self.decoder[1:8:2]):
            x = F.interpolate(F.elu(before["conv"](x)), scale_factor=2.0, mode="nearest")
            x = F.elu(after["conv"](x))
            features.insert(0, x)
        return self.decoder[8]["conv3"](x), features


def start_maps(rank, height, width):
    """[1,R,H,W]: the slowest cosines along both axes, of START_STD together, so that P starts smooth and distinct."""
    waves = sorted(((i, j) for i in range(rank) for j in range(rank)), key=lambda w: (w[0] + w[1], w))[:rank]
    cosine = lambda i, size: torch.cos(math.pi * i * (torch.arange(size) + 0.5) / size)
    maps = torch.stack([torch.outer(cosine(i, height), cosine(j, width)) for i, j in waves])
    return maps[None] * (START_STD / maps.square().sum(0).mean().sqrt())


class LowRankNetwork(nn.Module):
    """Mean network and our second decoder, whose features one head a level reads; their sums are log D and P."""

    def __init__(self, rank, height=HEIGHT, width=WIDTH):
        super().__init__()
        self.mean = MeanNetwork()
        below = (*FEATURES[1:], BOTTLENECK)
        self.up0 = nn.ModuleList(convolution(b + 2, c) for b, c in zip(below, FEATURES))
        self.up1 = nn.ModuleList(convolution(2 * c + 2, c) for c in FEATURES)
        self.pre = convolution(FEATURES[0], FINE_CHANNELS)
        self.heads = nn.ModuleList(nn.Conv2d(c, 1 + rank, 1) for c in (FINE_CHANNELS, *FEATURES[1:]))
        for head in self.heads:
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)
        self.register_buffer("start", start_maps(rank, height, width), persistent=False)
        self.register_buffer("width", torch.eye(rank), persistent=False)

    def forward(self, image):
        mean, features = self.mean(image)
        *features, x = [feature.detach() for feature in features]
        maps = 0
        for level in reversed(range(len(FEATURES))):
            x = F.elu(self.up0[level](torch.cat([x, coordinates(x)], 1)))
            x = F.interpolate(x, scale_factor=2.0, mode="nearest")
            x = F.elu(self.up1[level](torch.cat([x, features[level], coordinates(x)], 1)))
            own = self.heads[level](x if level > 0 else F.elu(self.pre(x)))
            maps = maps + F.interpolate(own, mean.shape[-2:], mode="bilinear", align_corners=False)
        factor = torch.einsum("rk,brhw->bkhw", self.width, self.start + START_STD * maps[:, 1:])
        return LowRankGaussian(mean, 2 * math.log(START_NOISE) + maps[:, :1], factor)

    def load_member(self, file):
        """The mean network's tensors by name; the member's coarser heads and log-scale are left out."""
        tensors = safetensors.torch.load_file(file)
        self.mean.load_state_dict({name: tensors[name] for name in self.mean.state_dict()})


class Images:
    """The frames of a split: image [3,H,W] in [0,1] and the members' logits [S,H,W]."""

    def __init__(self, options, split):
        self.root, self.samples = options.data, options.samples
        with open(os.path.join(options.data, "splits", split + "_files.txt")) as lines:
            frames = [line.split() for line in lines if line.strip()]
        cameras = {"l": "image_02", "r": "image_03"}
        self.frames = [(drive, cameras[side], f"{int(index):010d}") for drive, index, side in frames]
        self.images = [self.image(*frame) for frame in self.frames]

    def image(self, drive, camera, index):
        path = os.path.join(self.root, drive, camera, "data", index)
        with Image.open(path + (".jpg" if os.path.exists(path + ".jpg") else ".png")) as image:
            return torch.from_numpy(np.array(image.convert("RGB").resize((WIDTH, HEIGHT), Image.LANCZOS)))

    def __len__(self):
        return len(self.frames)

    def batch(self, indices):
        members = [np.load(os.path.join(self.samples, *self.frames[i], "logit_0.npy"))[1:] for i in indices]
        images = torch.stack([self.images[i] for i in indices]).permute(0, 3, 1, 2)
        return images.float() / 255, torch.from_numpy(np.stack(members)).float()


def rate_factor(step, steps):
    """Cosine down to 0.05 with a linear rise over 20 steps."""
    return min(1.0, (step + 1) / 20) * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * step / steps)))


def losses(network, image, members):
    """The mean's L1 to the members' mean, and the likelihood around the detached mean, nats a pixel and member."""
    gaussian = network(image)
    log_prob, _ = density(gaussian._replace(mean=gaussian.mean.detach()), members)
    return (gaussian.mean - members.mean(1, keepdim=True)).abs().mean(), log_prob.mean() / members[0, 0].numel()


def train_step(network, adam, image, members):
    distance, likelihood = losses(network, image, members)
    loss = distance - likelihood
    adam.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(network.parameters(), 5.0, error_if_nonfinite=True)
    adam.step()
    return likelihood.item(), norm.item()


@torch.no_grad()
def validation_likelihood(network, images):
    values = [density(network(image), members)[0].mean().item() for image, members in each(images)]
    return sum(values) / len(values) / (HEIGHT * WIDTH)


def each(images):
    return (images.batch([i]) for i in range(len(images)))


def train(network, options, file):
    images, validation = Images(options, "train"), Images(options, "val")
    second = [p for name, p in network.named_parameters() if not name.startswith("mean.")]
    groups = [{"params": second, "lr": 8e-4}, {"params": network.mean.parameters(), "lr": 1e-5}]
    adam = torch.optim.Adam(groups)
    per_epoch = len(images) // 2
    steps = options.epochs * per_epoch
    schedule = torch.optim.lr_scheduler.LambdaLR(adam, lambda step: rate_factor(step, steps))
    best = -math.inf
    for epoch in range(options.epochs):
        start, reports = time.time(), []
        for pair in torch.randperm(len(images))[: 2 * per_epoch].view(-1, 2).tolist():
            reports.append(train_step(network, adam, *images.batch(pair)))
            schedule.step()
        likelihood = validation_likelihood(network, validation)
        trained, norm = np.mean(reports, 0)
        print(f"epoch {epoch + 1}: LL {trained:.3f}, on validation {likelihood:.3f}, gradient {norm:.1f}, "
              f"{time.time() - start:.0f} s", flush=True)
        if likelihood > best:
            best = likelihood
            torch.save(network.state_dict(), file)


def scores(gaussian, members, samples):
    """Of one image; members [1,S,H,W], samples [N,H,W]."""
    log_prob, squares = density(gaussian, members)
    std = samples.double().std(0)
    about_mean = (members[0] - gaussian.mean[0]).double().square().mean(0).sqrt()
    own, wanted = texture(samples), texture(members[0])
    values = {"log_likelihood": log_prob.mean().item() / std.numel(), "z2": squares.mean().item() / std.numel()}
    for name, reference in (("std_ratio", members[0].double().std(0)), ("std_ratio_about_mu", about_mean)):
        values.update(zip((name + "_5", name, name + "_95"), spread_ratio(std, reference)))
    for name, mine, theirs in zip(("roughness", "length_rows", "length_columns"), own, wanted):
        values.update({name: mine, "members_" + name: theirs, name + "_ratio": mine / theirs})
    factor = gaussian.factor.double().square().sum(1)
    return values | {"factor_share": (factor / variance(gaussian)[:, 0]).mean().item()}


def write_maps(folder, maps):
    os.makedirs(folder, exist_ok=True)
    for name, values in maps.items():
        np.save(os.path.join(folder, name + ".npy"), values.numpy())


@torch.no_grad()
def fit_width(network, images):
    """Makes P as wide as the members of these images are along it, by one step of expectation-maximisation.

    The likelihood of 122,880 pixels hardly holds the width of ten directions: as trained it is several times too large.
    """
    moments = torch.stack([coefficient_moments(network(image), members) for image, members in each(images)]).mean(0)
    network.width = network.width @ torch.linalg.cholesky(moments).float()


@torch.no_grad()
def evaluate(network, options, out):
    images, counts = Images(options, "test_eigen"), (0, 25, 100, 200)
    generator, points = torch.Generator().manual_seed(options.seed), np.random.default_rng(options.seed)
    rows = []
    for frame, (image, members) in zip(images.frames, each(images)):
        gaussian = network(image)
        samples = draw(gaussian, 40, generator)
        rows.append(scores(gaussian, members, samples))
        given = functools.partial(condition, gaussian)
        errors = conditioned_errors(given, depth_of(options.data, *frame), (HEIGHT, WIDTH), counts, points)
        rows[-1].update(zip((f"abs_rel_given_{count}" for count in counts), errors))
        mean, drawn = disparity(gaussian.mean[0, 0]), disparity(samples)
        ten = {"disparity": mean, "samples": drawn, "uncertainty": drawn[:10].std(0)}
        write_maps(os.path.join(out, "ten", *frame), ten)
        exact = {"disparity": mean, "uncertainty": disparity_std(gaussian)}
        write_maps(os.path.join(out, "exact", *frame), exact)
    means = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
    with open(os.path.join(out, "scores.json"), "w") as file:
        json.dump(means, file, indent=1)
    print(json.dumps(means, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--data", "--samples", "--weights", "--out"):
        parser.add_argument(name, required=True)
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--rank", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--evaluate-only", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    os.makedirs(options.out, exist_ok=True)
    network, file = LowRankNetwork(options.rank), os.path.join(options.out, "model.pt")
    if not options.evaluate_only:
        network.load_member(options.weights)
        train(network, options, file)
    network.load_state_dict(torch.load(file))
    evaluate(network, options, os.path.join(options.out, "trained"))
    fit_width(network, Images(options, "val"))
    evaluate(network, options, os.path.join(options.out, "fitted"))


if __name__ == "__main__":
    main()
