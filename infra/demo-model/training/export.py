"""Writes the trained model as GGUF v3.  python3 export.py run demo.gguf [q8_0|f16|f32]"""

import json, os, struct, sys
import numpy as np
import torch
from tokenizer import Tokenizer, CONTROL, USER

HERE = os.path.dirname(os.path.abspath(__file__))
U32, I32, F32, BOOL, STR, ARR, U64 = 4, 5, 6, 7, 8, 9, 10
FILE_TYPE = dict(f32=0, f16=1, q8_0=7)
GGML_TYPE = dict(f32=0, f16=1, q8_0=8)


def s(x):
    b = x.encode("utf-8")
    return struct.pack("<Q", len(b)) + b


def kv(key, typ, val):
    return s(key) + struct.pack("<I", typ) + val


def arr(typ, items):
    return struct.pack("<IQ", typ, len(items)) + b"".join(items)


def q8_0(x):
    """Blocks of 32 along the row: one f16 scale and 32 signed bytes."""
    b = x.reshape(-1, 32).astype(np.float32)
    d = np.abs(b).max(1, keepdims=True) / 127
    q = np.where(d > 0, np.round(b / np.where(d > 0, d, 1)), 0).astype(np.int8)
    return np.concatenate((d.astype(np.float16).view(np.int8), q), axis=1).tobytes()


def interleave(w, heads):
    """Split-halves RoPE rows -> the interleaved pairs that llama.cpp uses for the llama architecture."""
    out, inn = w.shape
    return w.reshape(heads, 2, out // heads // 2, inn).swapaxes(1, 2).reshape(out, inn)


def export(run, path, kind="q8_0"):
    c = json.load(open(os.path.join(run, "config.json")))
    sd = {
        k: v.float().numpy()
        for k, v in torch.load(os.path.join(run, "model.pt"), map_location="cpu").items()
    }
    tok = Tokenizer.load(os.path.join(run, "merges.json"))
    types = [3 if t in CONTROL else 4 if t in USER else 1 for t in tok.tokens]
    tid = tok.id
    u = lambda k, v: kv(k, U32, struct.pack("<I", v))
    f = lambda k, v: kv(k, F32, struct.pack("<f", v))
    b = lambda k, v: kv(k, BOOL, struct.pack("<?", v))
    t = lambda k, v: kv(k, STR, s(v))
    meta = [
        t("general.architecture", "llama"),
        t("general.type", "model"),
        t("general.name", "svc-demo"),
        t("general.description", "Tiny demo chat model, trained from scratch on generated text"),
        u("general.file_type", FILE_TYPE[kind]),
        u("general.quantization_version", 2),
        u("general.alignment", 32),
        u("llama.vocab_size", c["vocab"]),
        u("llama.context_length", c["ctx"]),
        u("llama.embedding_length", c["dim"]),
        u("llama.block_count", c["layers"]),
        u("llama.feed_forward_length", c["ffn"]),
        u("llama.attention.head_count", c["heads"]),
        u("llama.attention.head_count_kv", c["kv_heads"]),
        f("llama.attention.layer_norm_rms_epsilon", c["eps"]),
        u("llama.rope.dimension_count", c["dim"] // c["heads"]),
        f("llama.rope.freq_base", c["rope_base"]),
        t("tokenizer.ggml.model", "gpt2"),
        t("tokenizer.ggml.pre", "smollm"),
        kv("tokenizer.ggml.tokens", ARR, arr(STR, [s(x) for x in tok.tokens])),
        kv("tokenizer.ggml.token_type", ARR, arr(I32, [struct.pack("<i", x) for x in types])),
        kv("tokenizer.ggml.merges", ARR, arr(STR, [s(x + " " + y) for x, y in tok.merges])),
        u("tokenizer.ggml.bos_token_id", tid["<|endoftext|>"]),
        u("tokenizer.ggml.eos_token_id", tid["<|im_end|>"]),
        u("tokenizer.ggml.eot_token_id", tid["<|im_end|>"]),
        u("tokenizer.ggml.padding_token_id", tid["<|endoftext|>"]),
        b("tokenizer.ggml.add_bos_token", False),
        b("tokenizer.ggml.add_eos_token", False),
        t(
            "tokenizer.chat_template",
            open(os.path.join(HERE, "template.jinja")).read().rstrip("\n"),
        ),
    ]
    tensors = [
        ("token_embd.weight", sd["embed"]),
        ("output_norm.weight", sd["norm"]),
    ]  # no output.weight: tied embeddings
    for i in range(c["layers"]):
        p, o = f"blocks.{i}.", f"blk.{i}."
        tensors += [
            (o + "attn_norm.weight", sd[p + "attn_norm"]),
            (o + "ffn_norm.weight", sd[p + "ffn_norm"]),
            (o + "attn_q.weight", interleave(sd[p + "q.weight"], c["heads"])),
            (o + "attn_k.weight", interleave(sd[p + "k.weight"], c["kv_heads"])),
            (o + "attn_v.weight", sd[p + "v.weight"]),
            (o + "attn_output.weight", sd[p + "o.weight"]),
            (o + "ffn_gate.weight", sd[p + "gate.weight"]),
            (o + "ffn_up.weight", sd[p + "up.weight"]),
            (o + "ffn_down.weight", sd[p + "down.weight"]),
        ]
    info, blobs, off = [], [], 0
    for name, w in tensors:
        k = "f32" if w.ndim == 1 else kind
        data = (
            q8_0(w) if k == "q8_0" else w.astype(np.float16 if k == "f16" else np.float32).tobytes()
        )
        dims = w.shape[::-1]  # ggml order: innermost first
        info.append(
            s(name)
            + struct.pack("<I", len(dims))
            + b"".join(struct.pack("<Q", d) for d in dims)
            + struct.pack("<IQ", GGML_TYPE[k], off)
        )
        data += b"\0" * (-len(data) % 32)
        blobs.append(data)
        off += len(data)
    head = (
        b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(meta)) + b"".join(meta) + b"".join(info)
    )
    head += b"\0" * (-len(head) % 32)
    with open(path, "wb") as fh:
        fh.write(head + b"".join(blobs))
    print(
        path,
        kind,
        f"{os.path.getsize(path) / 1e6:.2f} MB",
        "parameters",
        sum(w.size for _, w in tensors),
    )


if __name__ == "__main__":
    export(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "q8_0")
