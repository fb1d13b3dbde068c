"""The network: a small Llama-style decoder (RMSNorm, RoPE, grouped-query attention, SwiGLU, tied embeddings).

Training uses the "split halves" RoPE layout because it is cheap to compute; export.py permutes the rows of
the q/k projections into the interleaved layout that llama.cpp expects for the `llama` architecture.
"""

import math
import torch
import torch.nn as nn
import torch.nn.functional as F

DEFAULT = dict(
    vocab=2048,
    dim=256,
    layers=6,
    heads=4,
    kv_heads=2,
    ffn=704,
    rope_base=10000.0,
    eps=1e-5,
    ctx=4096,
)


def rms_norm(x, weight, eps):
    n = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=torch.float32)
    return x * torch.rsqrt(n * n / x.shape[-1] + eps).to(x.dtype) * weight.to(x.dtype)


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        d, hd = c["dim"], c["dim"] // c["heads"]
        self.c, self.hd = c, hd
        self.attn_norm = nn.Parameter(torch.ones(d))
        self.ffn_norm = nn.Parameter(torch.ones(d))
        self.q = nn.Linear(d, c["heads"] * hd, bias=False)
        self.k = nn.Linear(d, c["kv_heads"] * hd, bias=False)
        self.v = nn.Linear(d, c["kv_heads"] * hd, bias=False)
        self.o = nn.Linear(c["heads"] * hd, d, bias=False)
        self.gate = nn.Linear(d, c["ffn"], bias=False)
        self.up = nn.Linear(d, c["ffn"], bias=False)
        self.down = nn.Linear(c["ffn"], d, bias=False)

    def forward(self, x, cos, sin, mask):
        c, hd = self.c, self.hd
        B, T, _ = x.shape
        H, K = c["heads"], c["kv_heads"]
        h = rms_norm(x, self.attn_norm, c["eps"])
        q = rotate(F.linear(h, self.q.weight.to(h.dtype)).view(B, T, H, hd), cos, sin)
        k = rotate(F.linear(h, self.k.weight.to(h.dtype)).view(B, T, K, hd), cos, sin)
        v = F.linear(h, self.v.weight.to(h.dtype)).view(B, T, K, hd)
        # group the query heads that share a kv head: [B*K, (H/K)*T, hd]
        g = H // K
        q = q.view(B, T, K, g, hd).permute(0, 2, 3, 1, 4).reshape(B * K, g * T, hd)
        k = k.permute(0, 2, 3, 1).reshape(B * K, hd, T)
        v = v.permute(0, 2, 1, 3).reshape(B * K, T, hd)
        s = torch.bmm(q * (1 / math.sqrt(hd)), k).view(B, K, g, T, T) + mask
        p = torch.softmax(s, -1).view(B * K, g * T, T)
        y = torch.bmm(p, v).view(B, K, g, T, hd).permute(0, 3, 1, 2, 4).reshape(B, T, H * hd)
        x = x + F.linear(y, self.o.weight.to(h.dtype))
        h = rms_norm(x, self.ffn_norm, c["eps"])
        y = F.silu(F.linear(h, self.gate.weight.to(h.dtype))) * F.linear(
            h, self.up.weight.to(h.dtype)
        )
        return x + F.linear(y, self.down.weight.to(h.dtype))


class Model(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.embed = nn.Parameter(torch.randn(c["vocab"], c["dim"]) * 0.02)
        self.blocks = nn.ModuleList(Block(c) for _ in range(c["layers"]))
        self.norm = nn.Parameter(torch.ones(c["dim"]))
        for b in self.blocks:
            for n, p in b.named_parameters():
                if p.dim() == 2:
                    scale = (
                        1 / math.sqrt(2 * c["layers"]) if n in ("o.weight", "down.weight") else 1.0
                    )
                    nn.init.normal_(p, std=0.5 * scale / math.sqrt(p.shape[1]))
        hd = c["dim"] // c["heads"]
        self.register_buffer(
            "freq", c["rope_base"] ** (-torch.arange(0, hd, 2).float() / hd), persistent=False
        )

    def forward(self, ids, pos=None, mask=None, pick=None, dtype=torch.float32):
        """ids [B,T]; pos [B,T] positions; mask [B,1,1,T,T] additive; pick: flat indices whose logits are wanted."""
        B, T = ids.shape
        if pos is None:
            pos = torch.arange(T).expand(B, T)
        if mask is None:
            mask = torch.full((T, T), float("-inf")).triu(1).view(1, 1, 1, T, T)
        ang = pos.float()[:, :, None, None] * self.freq
        cos, sin = ang.cos().to(dtype), ang.sin().to(dtype)
        x = F.embedding(ids, self.embed).to(dtype)
        mask = mask.to(dtype)
        for b in self.blocks:
            x = b(x, cos, sin, mask)
        x = x.reshape(B * T, -1)
        if pick is not None:
            x = x[pick]
        x = rms_norm(x, self.norm, self.c["eps"])
        return F.linear(x, self.embed.to(dtype))
