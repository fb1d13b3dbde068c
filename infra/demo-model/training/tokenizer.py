"""Byte-level BPE, split like llama.cpp's pre-tokenizer "gpt-2".

Three choices make life easy for a very small model:
  * no merges with digits or line breaks: every digit and every newline is its own token, so a text has the same
    tokens whether it is cut there or not;
  * words are merged without their leading space; only a few hundred frequent function words get a token with the
    space in front. So a name has the same tokens in running text, in quotes and in JSON, and copying is easy;
  * all 256 bytes are tokens, so any UTF-8 text can be encoded.
"""

import json
from collections import Counter
import regex

SPLIT = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
USER = ["<think>", "</think>", "<tool_call>", "</tool_call>"]
SPECIAL = CONTROL + USER
SPECIAL_RE = regex.compile("(" + "|".join(regex.escape(s) for s in SPECIAL) + ")")


def byte_table():
    bs = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    cs = bs[:]
    n = 0
    for b in range(256):
        if b not in bs:
            bs.append(b)
            cs.append(256 + n)
            n += 1
    return {b: chr(c) for b, c in zip(bs, cs)}


B2U = byte_table()
U2B = {u: b for b, u in B2U.items()}
SP = B2U[32]


def to_u(s):
    return "".join(B2U[b] for b in s.encode("utf-8"))


class Tokenizer:
    def __init__(self, merges):
        self.merges = [tuple(m) for m in merges]
        self.rank = {m: i for i, m in enumerate(self.merges)}
        self.tokens = [B2U[b] for b in range(256)] + [a + b for a, b in self.merges] + SPECIAL
        self.id = {t: i for i, t in enumerate(self.tokens)}
        assert len(self.id) == len(self.tokens)
        self.cache = {}

    def bpe(self, w):
        p = list(w)
        while len(p) > 1:
            r, i = min((self.rank.get((p[i], p[i + 1]), 1 << 30), i) for i in range(len(p) - 1))
            if r == 1 << 30:
                break
            p[i : i + 2] = [p[i] + p[i + 1]]
        return [self.id[x] for x in p]

    def encode(self, text):
        out = []
        for part in SPECIAL_RE.split(text):
            if part in SPECIAL:
                out.append(self.id[part])
                continue
            for w in SPLIT.findall(part):
                c = self.cache.get(w)
                if c is None:
                    c = self.cache[w] = self.bpe(to_u(w))
                out += c
        return out

    def decode(self, ids):
        buf = bytearray()
        for i in ids:
            t = self.tokens[i]
            buf += t.encode() if t in SPECIAL else bytes(U2B[c] for c in t)
        return buf.decode("utf-8", "replace")

    def save(self, path):
        json.dump(self.merges, open(path, "w"), ensure_ascii=False)

    @staticmethod
    def load(path):
        return Tokenizer(json.load(open(path)))


def train(texts, vocab, spaced=300, exclude=()):
    words, with_space = Counter(), Counter()
    for t in texts:
        for part in SPECIAL_RE.split(t):
            if part in SPECIAL:
                continue
            for w in SPLIT.findall(part):
                body = w[1:] if w[0] == " " else w
                if not body or body.isspace() or any(c.isdigit() for c in body):
                    continue
                words[body] += 1
                if w[0] == " ":
                    with_space[body] += 1
    n_merges = vocab - 256 - len(SPECIAL) - spaced
    seqs = [(list(to_u(w)), c) for w, c in words.items() if c > 2]
    pairs, where = Counter(), {}
    for i, (s, c) in enumerate(seqs):
        for p in zip(s, s[1:]):
            pairs[p] += c
            where.setdefault(p, set()).add(i)
    merges = []
    while len(merges) < n_merges:
        best = max(pairs.items(), key=lambda x: (x[1], x[0]))[0]
        merges.append(best)
        for i in list(where.get(best, ())):
            s, c = seqs[i]
            for p in zip(s, s[1:]):
                pairs[p] -= c
                where[p].discard(i)
            j = 0
            while j < len(s) - 1:
                if (s[j], s[j + 1]) == best:
                    s[j : j + 2] = [s[j] + s[j + 1]]
                j += 1
            for p in zip(s, s[1:]):
                pairs[p] += c
                where.setdefault(p, set()).add(i)
        pairs.pop(best, None)
    known = {a + b for a, b in merges} | set(B2U.values())
    cand = [
        w
        for w, _ in with_space.most_common()
        if to_u(w) in known and w not in exclude and (w.islower() or w == "I" or not w.isalpha())
    ]
    merges += [(SP, to_u(w)) for w in cand[:spaced]]
    return Tokenizer(merges)
