"""Second half of the training of the word table (see pairs.mjs).

    python3 scripts/words/train.py OUT data/words.bin [DIMENSIONS] [EPOCHS]

A text is the normalised sum of its terms' vectors. Two texts of a pair are to be
nearer than any two others of a batch (InfoNCE, both directions). Most terms that
both texts share are hidden from one of them, so that the table learns which
DIFFERENT words belong together: same words are the business of BM25.

words.bin: the length of the head (u32), the head (JSON: terms, dimensions), then
a scale for each term (f32), then the vectors (int8, a row a term).
"""

import json
import random
import struct
import sys
import time
from itertools import accumulate, chain

import numpy as np
import torch

OUT, TARGET = sys.argv[1], sys.argv[2]
DIMENSIONS = int(sys.argv[3]) if len(sys.argv) > 3 else 128
EPOCHS = int(sys.argv[4]) if len(sys.argv) > 4 else 2  # more, and it learns the pairs by heart
BATCH = 1024
HIDE = 0.7  # of the shared terms
TEMPERATURE = 0.06

torch.manual_seed(1)
random.seed(1)
noise = np.random.default_rng(1)
torch.set_num_threads(2)  # faster with libopenblas: the reference BLAS takes twenty times as long


def load():
    terms, counts = zip(*(line.split() for line in open(f"{OUT}/terms.txt", encoding="utf8")))
    flat = np.fromfile(f"{OUT}/pairs.u32", dtype=np.uint32).astype(np.int64)
    sides, at = [], 0
    while at < len(flat):
        size = flat[at]
        sides.append(flat[at + 1 : at + 1 + size].tolist())
        at += 1 + size
    pairs = list(zip(sides[::2], sides[1::2]))
    return terms, np.array([int(count) for count in counts]), pairs


def start_vectors(size):
    """GloVe, centred and without its three largest directions, in the first columns; noise elsewhere."""
    glove = np.fromfile(f"{OUT}/start.f32", dtype=np.float32).reshape(size, 100)
    known = ~np.isnan(glove[:, 0])
    inside = glove[known] - glove[known].mean(0)
    top = np.linalg.svd(inside, full_matrices=False)[2][:3]
    inside -= inside @ top.T @ top
    inside /= np.linalg.norm(inside, axis=1, keepdims=True) + 1e-9
    vectors = noise.normal(0, 0.02, (size, DIMENSIONS)).astype(np.float32)
    columns = min(100, DIMENSIONS)
    vectors[known, :columns] += inside[:, :columns]
    vectors[~known] += noise.normal(0, 0.3 / DIMENSIONS**0.5, ((~known).sum(), DIMENSIONS))
    return vectors


def hidden(left, right):
    """The pair without most of the terms that both share, taken from one side or the other."""
    shared = set(left).intersection(right)
    if not shared:
        return left, right
    first, second = set(), set()
    for term in shared:
        chance = random.random()
        if chance < HIDE:
            (first if chance < HIDE / 2 else second).add(term)
    l = [term for term in left if term not in first]
    r = [term for term in right if term not in second]
    return (l or left), (r or right)


def bag(sides):
    offsets = list(accumulate((len(side) for side in sides[:-1]), initial=0))
    return torch.tensor(list(chain.from_iterable(sides))), torch.tensor(offsets)


def main():
    terms, counts, pairs = load()
    meta = json.load(open(f"{OUT}/meta.json"))
    vectors = start_vectors(len(terms))
    frequency = counts / counts.sum()
    weight = np.log1p(1e-4 / (frequency + 1e-5)).astype(np.float32)
    table = torch.nn.EmbeddingBag(len(terms), DIMENSIONS, mode="sum", sparse=True)
    table.weight.data = torch.from_numpy(vectors * weight[:, None] / weight.mean())
    order = noise.permutation(len(pairs))
    held, order = order[:4096], order[4096:]
    optimiser = torch.optim.SparseAdam(list(table.parameters()), lr=3e-3)
    steps = EPOCHS * (len(order) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, total_steps=steps + 1)

    def embed(sides):
        return torch.nn.functional.normalize(table(*bag(sides)), dim=1)

    def check():
        """How often the partner is among the ten nearest of 4,096, no term shared."""
        sides = []
        for index in held:
            left, right = pairs[index]
            rest = [term for term in right if term not in left]
            sides.append((left, rest or right))
        with torch.no_grad():
            scores = embed([s[0] for s in sides]) @ embed([s[1] for s in sides]).T
            rank = (scores > scores.diag()[:, None]).sum(1)
        return f"{(rank < 1).float().mean():.3f} first, {(rank < 10).float().mean():.3f} in ten"

    print("start:", check(), flush=True)
    labels = torch.arange(BATCH)
    began = time.time()
    for epoch in range(EPOCHS):
        random.shuffle(order)
        total = 0.0
        for at in range(0, len(order) - BATCH + 1, BATCH):
            batch = [hidden(*pairs[index]) for index in order[at : at + BATCH]]
            scores = embed([b[0] for b in batch]) @ embed([b[1] for b in batch]).T / TEMPERATURE
            loss = torch.nn.functional.cross_entropy(scores, labels)
            loss = (loss + torch.nn.functional.cross_entropy(scores.T, labels)) / 2
            total += loss.item()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        print(f"epoch {epoch + 1}: loss {total / (len(order) // BATCH):.3f}, {check()}, {time.time() - began:.0f} s", flush=True)
    write(terms, table.weight.data.numpy(), meta)


def write(terms, vectors, meta):
    scale = np.abs(vectors).max(1) / 127 + 1e-12
    head = json.dumps({"dimensions": DIMENSIONS, "terms": list(terms)}, ensure_ascii=False).encode()
    head += b" " * (-len(head) % 4)
    with open(TARGET, "wb") as file:
        file.write(struct.pack("<I", len(head)) + head)
        file.write(scale.astype("<f4").tobytes())
        file.write(np.round(vectors / scale[:, None]).astype(np.int8).tobytes())
    print(f"{len(terms)} terms, {DIMENSIONS} dimensions, {meta['pairs']} pairs")


main()
