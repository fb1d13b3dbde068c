"""Trains the demo model on the CPU.  python3 train.py --out run --steps 3000

Steps: generate conversations -> train the tokenizer -> tokenise and pack -> train. Documents are packed into rows with a
block-diagonal attention mask; the loss is on assistant tokens only. Part of the documents get random gaps in their
position ids, so that the model meets RoPE distances up to the full context without training on 4096-token texts.
"""

import argparse, json, math, os, time
import numpy as np
import torch
import torch.nn.functional as F
import data, tokenizer, words
from model import Model, DEFAULT

A = argparse.ArgumentParser()
A.add_argument("--out", default="run")
A.add_argument("--steps", type=int, default=3000)
A.add_argument("--seed", type=int, default=1)
A.add_argument("--docs", type=int, default=200000)
A.add_argument("--vocab", type=int, default=2048)
A.add_argument("--threads", type=int, default=2)
A.add_argument("--lr", type=float, default=2e-3)
A.add_argument("--muon", type=float, default=0.02)
A.add_argument("--tokens", type=int, default=8192)
A.add_argument(
    "--prompt-weight", type=float, default=0.1, help="weight of the loss on prompt tokens"
)
A.add_argument("--split", default="all")
A.add_argument("--gaps", type=float, default=0.2)
A.add_argument("--minutes", type=float, default=0, help="follow the clock instead of --steps")
A.add_argument("--layers", type=int, default=5)
A.add_argument("--init", default=None, help="start from this checkpoint")
A.add_argument("--decay", type=float, default=0.4)
A.add_argument("--stop", type=int, default=0)
a = A.parse_args()
torch.set_num_threads(a.threads)
torch.manual_seed(a.seed)
torch.set_flush_denormal(True)
os.makedirs(a.out, exist_ok=True)
rng = np.random.default_rng(a.seed)
log = lambda *x: print(f"{time.strftime('%H:%M:%S')}", *x, flush=True)

# ---- tokenizer
tokp = os.path.join(a.out, "merges.json")
if not os.path.exists(tokp):
    g = data.Gen(a.seed + 1000)
    texts = [
        "".join(t for t, _ in data.render(data.conversation(g), g.p(0.3), g)) for _ in range(25000)
    ]
    slots = set()
    for v in vars(words).values():
        if (
            isinstance(v, list)
            and v
            and isinstance(v[0], str)
            and v not in (words.JOKES, words.FUN, words.ADVICE, words.RIDDLES)
        ):
            slots |= {p for w in v for p in w.split()}
        if isinstance(v, dict) and all(isinstance(x, str) for x in v.values()):
            slots |= set(v) | set(v.values())
    tokenizer.train(texts, a.vocab, 300, slots - {"the", "of", "a", "to", "in", "I"}).save(tokp)
T = tokenizer.Tokenizer.load(tokp)
log("vocabulary", len(T.tokens))

# ---- documents
g = data.Gen(a.seed, a.split)
docs = []
for _ in range(a.docs):
    ids, w = [], []
    for text, trained in data.render(data.conversation(g), g.p(0.3), g):
        x = T.encode(text)
        ids += x
        w += [{1: 1.0, 0: a.prompt_weight, -1: 0.0}[trained]] * len(x)
    if len(ids) <= 2048:
        docs.append((np.array(ids, np.int16), np.array(w, np.float32)))
L = np.array([len(d[0]) for d in docs])
log(
    "documents",
    len(docs),
    "tokens",
    L.sum(),
    "trained",
    sum(int((d[1] == 1).sum()) for d in docs),
    "median",
    np.median(L),
    "p90",
    np.quantile(L, 0.9),
    "max",
    L.max(),
)


def pack(idx, size):
    rows, open_ = [], []
    for i in idx:
        n = len(docs[i][0])
        for k, (free, row) in enumerate(open_):
            if n <= free:
                row.append(i)
                open_[k] = (free - n, row)
                break
        else:
            row = [i]
            rows.append(row)
            open_.append((size - n, row))
        if len(open_) > 60:
            open_.sort(key=lambda x: -x[0])
            open_ = open_[:40]
        open_ = [x for x in open_ if x[0] >= 24]
    return rows


batches = []
for lo, size, hi in ((0, 256, 256), (256, 512, 512), (512, 2048, 2048)):
    rows = pack(np.flatnonzero((L > lo) & (L <= hi)), size)
    rng.shuffle(rows)
    n = max(1, a.tokens // size)
    batches += [(size, rows[i : i + n]) for i in range(0, len(rows) - n + 1, n)]
rng.shuffle(batches)
log("batches", len(batches))


def positions(n):
    p = np.arange(n)
    if n > 8 and rng.random() < a.gaps:
        room = 4095 - n
        for _ in range(rng.integers(1, 3)):
            cut, jump = rng.integers(1, n), (
                rng.integers(0, room // 2 + 1) if rng.random() < 0.5 else rng.integers(0, 600)
            )
            p[cut:] += jump
        if p[-1] > 4095:
            p = np.arange(n)
    return p


def make(batch):
    size, rows = batch
    B = len(rows)
    ids = np.zeros((B, size), np.int64)
    pos = np.zeros((B, size), np.int64)
    doc = -np.ones((B, size), np.int64)
    w = np.zeros((B, size), np.float32)
    for b, row in enumerate(rows):
        o = 0
        for k, i in enumerate(row):
            d, m = docs[i]
            n = len(d)
            ids[b, o : o + n] = d
            pos[b, o : o + n] = positions(n)
            doc[b, o : o + n] = k
            w[b, o : o + n - 1] = m[1:]
            o += n
    ids, pos, doc = torch.from_numpy(ids), torch.from_numpy(pos), torch.from_numpy(doc)
    ok = (doc[:, :, None] == doc[:, None, :]) & torch.ones(size, size, dtype=torch.bool).tril()
    mask = torch.zeros(B, size, size, dtype=torch.bfloat16).masked_fill_(~ok, -3e4)[:, None, None]
    pick = torch.from_numpy(np.flatnonzero(w.reshape(-1)))
    tgt = ids.view(-1).roll(-1)[pick]
    return ids, pos, mask, pick, tgt, torch.from_numpy(w.reshape(-1))[pick]


# ---- optimiser: Muon (orthogonalised momentum) for the matrices, AdamW for embedding and norms
c = dict(DEFAULT, vocab=len(T.tokens), layers=a.layers)
model = Model(c)
json.dump(c, open(os.path.join(a.out, "config.json"), "w"))
if a.init:
    model.load_state_dict(torch.load(a.init))
    log("start from", a.init)
mats = [p for b in model.blocks for p in b.parameters() if p.dim() == 2]
rest = [p for p in model.parameters() if not any(p is m for m in mats)]
log("parameters", sum(p.numel() for p in model.parameters()))
adam = torch.optim.AdamW(
    [
        dict(params=[p for p in rest if p.dim() == 2], weight_decay=0.01),
        dict(params=[p for p in rest if p.dim() < 2], weight_decay=0.0),
    ]
    + ([] if a.muon else [dict(params=mats, weight_decay=0.05)]),
    lr=a.lr,
    betas=(0.9, 0.98),
)
mom = [torch.zeros_like(p) for p in mats]


def orthogonal(G):
    X = G.bfloat16() / (G.norm() + 1e-7)
    t = X.shape[0] > X.shape[1]
    if t:
        X = X.t().contiguous()
    for _ in range(5):
        S = X @ X.t()
        X = 3.4445 * X + (-4.7750 * S + 2.0315 * (S @ S)) @ X
    return (X.t() if t else X).float()


def rate(s):
    if s < 60:
        return (s + 1) / 60
    x = (time.time() - t0) / 60 / a.minutes if a.minutes else s / a.steps
    return 1.0 if x < 1 - a.decay else max(0.02, (1 - x) / a.decay)


t0 = time.time()
seen = 0
avg = None
for s in range(10**9 if a.minutes else a.steps):
    ids, pos, mask, pick, tgt, w = make(batches[s % len(batches)])
    ce = F.cross_entropy(model(ids, pos, mask, pick, torch.bfloat16).float(), tgt, reduction="none")
    ((ce * w).sum() / w.sum()).backward()
    f = rate(s)
    loss = ce.detach()[w == 1].mean()  # logged: answers only
    torch.nn.utils.clip_grad_norm_(rest if a.muon else list(model.parameters()), 1.0)
    for gr in adam.param_groups:
        gr["lr"] = a.lr * f
    adam.step()
    if a.muon:
        with torch.no_grad():
            for p, m in zip(mats, mom):
                m.mul_(0.95).add_(p.grad, alpha=0.05)
                u = orthogonal(p.grad * 0.05 + m * 0.95)
                p.mul_(1 - a.muon * f * 0.05).add_(
                    u, alpha=-a.muon * f * max(1, p.shape[0] / p.shape[1]) ** 0.5
                )
    model.zero_grad(set_to_none=True)
    seen += ids.numel()
    avg = loss.item() if avg is None else avg * 0.98 + loss.item() * 0.02
    if s % 25 == 0 or s == a.steps - 1:
        log(
            f"step {s} loss {loss.item():.4f} avg {avg:.4f} lr x{f:.2f} {seen / (time.time() - t0):.0f} tok/s {time.time() - t0:.0f}s"
        )
    if s % 200 == 199 or s == a.steps - 1:
        torch.save(model.state_dict(), os.path.join(a.out, "model.pt"))
    if (a.stop and s >= a.stop) or (a.minutes and time.time() - t0 > a.minutes * 60):
        break
torch.save(model.state_dict(), os.path.join(a.out, "model.pt"))
log("done", f"{seen} tokens in {time.time() - t0:.0f} s")
