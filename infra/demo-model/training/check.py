"""Compares the GGUF in llama.cpp with PyTorch: token ids, greedy answers.  python3 check.py run demo.gguf"""

import json, os, subprocess, sys, tempfile
import torch
import data
from model import Model
from tokenizer import Tokenizer

run, gguf = sys.argv[1:3]
node = os.environ.get(
    "GENERATE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "generate.mjs")
)
c = json.load(open(run + "/config.json"))
m = Model(c)
m.load_state_dict(torch.load(run + "/model.pt"))
T = Tokenizer.load(run + "/merges.json")
torch.set_num_threads(1)
torch.set_flush_denormal(True)
g = data.Gen(5, "eval")
jobs, mine = [], []
for f in (
    [data.conv_single] * 12
    + [data.conv_tool] * 4
    + [data.conv_memory] * 2
    + [data.conv_longsys] * 2
):
    segs = data.render(f(g), False)
    k = max(j for j, (t, w) in enumerate(segs) if w == 1)
    ids = [x for t, _ in segs[:k] for x in T.encode(t)]
    jobs.append(dict(ids=ids, max=40))
    out = []
    with torch.no_grad():
        while len(out) < 40 and (not out or T.tokens[out[-1]] != "<|im_end|>"):
            out.append(int(m(torch.tensor([ids + out]))[-1].argmax()))
    mine.append(out)
with tempfile.TemporaryDirectory() as d:
    json.dump(jobs, open(d + "/i", "w"))
    subprocess.run(["node", node, os.path.abspath(gguf), d + "/i", d + "/o"], check=True)
    theirs = json.load(open(d + "/o"))
print("greedy answers equal", sum(a == b for a, b in zip(mine, theirs)), "of", len(mine))
