# python3 verify.py FILE KEY [CHECKPOINT [WITNESS_KEY …]]: verifies an evidence file, docs/reference/evidence.md; exit 0 only for `ok`
import base64, hashlib, itertools, json, re, sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
PRICES, COUNTS = ("input", "cachedInput", "output"), ("inputTokens", "cachedInputTokens", "outputTokens")
FIELDS = {"svc_evidence": int, "stream": str, "request": (str, type(None)), "events": int, "checkpoint": str, "proofs": list, "consistency": list, "rotations": list}
LINE_BYTES_MAX, PRICED = 2 ** 22, ("RequestAccepted", "TokensMetered", "CreditDebited", "RequestFailed", "RequestAbandoned")
EFFECTS = {"CreditGranted": 1, "CreditRefunded": 1, "BalanceAdjusted": 1, "AccountClosed": 1, "CreditDebited": -1, "CreditExpired": -1, "GrantVoided": -1}
LOG, WITNESS = b"\1", b"\4"
class Broken(Exception): pass
def must(holds, *what):
    if not holds: raise Broken(*what)
def attempt(what, read, line=1, revision=None):
    try: return read()
    except Exception: raise Broken(line, revision, what) from None
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def from_hex(text): return bytes.fromhex(re.fullmatch("[0-9a-f]{64}", text)[0])
def from_base64(text): return next(raw for raw in [base64.b64decode(text)] if base64.b64encode(raw).decode() == text)
# without NaN, which no JSON has; no number that counts has more than 16 digits
DECODER = json.JSONDecoder(parse_constant=lambda _: must(False), parse_int=lambda digits: int(digits) if len(digits) < 18 else float(digits))
def parsed(text):  # without halves of characters either
    must("\\u" not in text or not re.search(r"\\u[dD][89a-fA-F]", re.sub(r"\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]", "", text)))
    return DECODER.decode(text)
def public_key(name, key_id, text, kind):
    public = from_base64(text)
    must(len(public) == 33 and public[:1] == kind and sha(name.encode(), b"\n", public)[:4].hex() == key_id)
    return public
def signed_text(note, keys, kind=LOG):  # and the name of the first of the keys that signed it
    must(len(note.encode()) <= 2 ** 16 and not re.search(r"[\x00-\x09\x0b-\x1f]", note))
    text, signatures = re.fullmatch(r"(.*\n)\n((?:— [^\s+]+ \S+\n)+)", note, re.S).groups()
    found = [(name, from_base64(raw)) for name, raw in re.findall(r"— (\S+) (\S+)\n", signatures)]
    must(len(found) <= 100 and all(len(raw) > 4 for _, raw in found))
    for name, key_id, public in (key.split("+", 2) for key in keys):
        public = public_key(name, key_id, public, kind)
        own = [raw[4:] for signer, raw in found if signer == name and raw[:4].hex() == key_id]
        for raw in own:  # a witness signs the time as well: cosignature/v1
            time, said = (raw[:8], b"cosignature/v1\ntime %d\n" % int.from_bytes(raw[:8], "big")) if kind == WITNESS else (b"", b"")
            Ed25519PublicKey.from_public_bytes(public[1:]).verify(raw[len(time):], said + text.encode())
        if own: return text, name
    must(False)
def is_cosigned(note, key):
    public_key(*key.split("+", 2), WITNESS)
    try: return signed_text(note, [key], WITNESS) is not None
    except Broken: return False
def trusted_keys(key, rotations):
    keys = [key]
    public_key(*key.split("+", 2), LOG)
    for note in rotations:
        name, title, old, new = note.split("\n")[:4]
        must(title == "key rotation" and old.split("+")[0] == new.split("+")[0] == name and signed_text(note, [old]) and signed_text(note, [new]))
        if old in keys: keys.append(new)
    return keys
def open_checkpoint(note, keys):
    text, name = signed_text(note, keys)
    origin, size, root, time = re.match(r"(.+)\n(0|[1-9]\d{0,15})\n(.{43}=)\ntime (\d{1,12})\n", text, re.A).groups()
    must(origin == name and len(from_base64(root)) == 32)
    return count(int(size)), from_base64(root), int(time)
def climb(place, last, path, nodes):  # RFC 9162, 2.1.3.2 and 2.1.4.2; the first of two nodes has nothing on its right
    for sibling in path:
        if last == 0: return False
        left = place % 2 == 1 or place == last
        nodes[:] = [sha(b"\1", sibling, n) for n in nodes] if left else nodes[:-1] + [sha(b"\1", nodes[-1], sibling)]
        while left and place % 2 == 0 and place > 0: place, last = place // 2, last // 2
        place, last = place // 2, last // 2
    return last == 0
def included(digest, proof, size, root):
    return 0 <= proof["leaf"] < size and climb(proof["leaf"], size - 1, map(from_hex, proof["hashes"]), nodes := [sha(b"\0", digest)]) and nodes == [root]
def consistent(first, root, second, second_root, path):
    if first >= second or first == 0: return not path and (first, root) in ((second, second_root), (0, sha()))
    place, last = first - 1, second - 1
    while place % 2: place, last = place // 2, last // 2
    start, *rest = ([root] if place == 0 else []) + (path or [b""])
    return climb(place, last, rest, nodes := [start, start]) and nodes == [root, second_root]
def read_header(line):
    header = parsed(line.decode())
    must(line.endswith(b"\n") and sorted(header) == sorted(FIELDS) and all(isinstance(header[name], kind) for name, kind in FIELDS.items()))
    must(count(header["svc_evidence"]) == 1 and count(header["events"]) >= 1 and all(type(note) is str for note in header["rotations"]))
    for item, names in [(p, ["event", "hashes", "leaf"]) for p in header["proofs"]] + [(c, ["hashes", "root", "size"]) for c in header["consistency"]]:
        must(sorted(item) == names and type(item["hashes"]) is list)
        for name in names: [from_hex(h) for h in item[name]] if name == "hashes" else from_hex(item[name]) if name == "root" else count(item[name])
    numbers = [0] + [proof["event"] for proof in header["proofs"]]
    must(sorted(set(numbers)) == numbers)
    return header
def read_event(line, stream, request, is_expected):
    must(is_expected and line.endswith(b"\n"))
    event = parsed(line.decode())
    must(count(event[2]) is not None and [type(part) for part in event] == [str, str, int, str, str, str, str] and event[1] == stream)
    must(request is None or parsed(event[5])["requestId"] == request)
    return event
def count(value):
    must(type(value) is int and 0 <= value < 2 ** 53)
    return value
def number(text): return int(re.fullmatch("-?[0-9]{1,40}", text)[0])
def check_money(kind, data, money):  # tokens × price = debit; balance before ± amount = balance after
    requests, request = money["requests"], data.get("requestId")
    must(kind not in PRICED or type(request) is str)
    if kind == "RequestAccepted":  # once: accepted again, it would have two prices
        must(request not in requests)
        requests[request] = [[number(data["price"][name]) for name in PRICES], None]
    elif kind == "TokensMetered":
        must(requests[request][1] is None)
        requests[request][1] = [count(data[name]) for name in COUNTS]
    elif kind in PRICED[3:]: requests.pop(request, None)
    elif kind == "CreditDebited":
        wanted = [(name, n, p, n * p) for name, p, n in zip(("input", "cached_input", "output"), *requests.pop(request))]
        lines = [(l["class"], count(l["tokens"]), number(l["price"]), number(l["amount"])) for l in data["lines"]]
        must(lines == wanted and sum(line[3] for line in lines) == number(data["amount"]))
    if kind not in EFFECTS:
        if "balanceAfter" not in data: return None
        money["balance"] = None  # it moved to where the next event that is known says
        return "unknown"
    amount, before, money["balance"] = number(data["amount"]), money["balance"], number(data["balanceAfter"])
    return "balance" if money["whole"] and before is not None and before + EFFECTS[kind] * amount != money["balance"] else None
def verify(file, key, other, witnesses, seen):
    lines = iter(lambda: file.readline(LINE_BYTES_MAX + 1), b"")  # what is longer is no line, for it does not end
    header = attempt("header", lambda: read_header(next(lines)))
    keys = attempt("key", lambda: trusted_keys(key, header["rotations"]))
    size, root, time = attempt("checkpoint", lambda: open_checkpoint(header["checkpoint"], keys))
    earlier = {c["size"]: from_hex(c["root"]) for c in header["consistency"]}
    for c in header["consistency"]:
        attempt("consistency", lambda: must(consistent(c["size"], earlier[c["size"]], size, root, list(map(from_hex, c["hashes"])))))
    whole, proofs, uncovered, limit = header["request"] is None, {p["event"]: p for p in header["proofs"]}, None, None
    money, last, digest, covered, n, earlier[size] = {"balance": 0, "requests": {}, "whole": whole}, -1, bytes(32), 0, 0, root
    for n, (line, following) in enumerate(itertools.pairwise(itertools.chain(lines, [b""])), 1):
        event = attempt("event", lambda: read_event(line, header["stream"], header["request"], n <= header["events"]), n + 1, n - 1 if whole else None)
        (previous, _, revision, _, kind, data, _), before, digest, proof = event, digest, sha(line[:-1]), proofs.get(n)
        seen["events"], follows, proven = n, revision == last + 1, proof is not None and included(digest, proof, size, root)
        must(follows if whole else revision > last, n + 1, n - 1 if whole else revision, "order")
        if follows and previous != before.hex():  # whichever of the two the event behind, or the tree, does not know
            known = revision > 0 and (proven or following.startswith(b'["%s"' % digest.hex().encode()))
            raise Broken(n + 1 - known, revision - known, "chain")
        if not follows and covered < n - 1: uncovered = uncovered or "no_inclusion_proof"
        last, found = revision, attempt("price", lambda: check_money(kind, parsed(data), money), n + 1, revision)
        must(found != "balance", n + 1, revision, "balance")
        if found == "unknown": uncovered, limit = uncovered or "unknown_event", revision - 1 if limit is None else limit
        must(proven or proof is None, n + 1, revision, "inclusion")
        if proven: covered, seen["covered_to"] = n, revision if limit is None else limit
    must(n == header["events"], n + 2, n if whole else None, "missing")
    must(max([0, *proofs]) <= n, 1, None, "header")
    if covered < n: uncovered = uncovered or "no_inclusion_proof"
    given, given_root, given_time = attempt("checkpoint", lambda: open_checkpoint(other.decode(), keys), 0) if other is not None else (size, root, time)
    must((given - size) * (given_time - time) >= 0, 0, None, "cut")  # neither goes down in what a log signs
    must(earlier.get(given, given_root) == given_root, 0, None, "fork")
    if given not in earlier: uncovered = uncovered or ("newer_checkpoint" if given > size else "no_consistency_proof")
    cosigned = [attempt("cosignature", lambda: is_cosigned(header["checkpoint"] if other is None else other.decode(), w), 1 if other is None else 0) for w in witnesses]
    seen.update(stream=header["stream"], request=header["request"])
    return uncovered or (None if all(cosigned) else "no_cosignature")
def main(path, key, other=None, *witnesses):
    seen, broken, uncovered = {"stream": None, "request": None, "events": 0, "covered_to": None}, None, None
    try: uncovered = verify(open(path, "rb"), key, other and open(other, "rb").read(), witnesses, seen)
    except Broken as found: broken, seen["covered_to"] = dict(zip(("line", "revision", "what"), found.args)), None
    verdict = "broken" if broken else "not_covered" if uncovered else "ok"
    print(json.dumps({"verdict": verdict, "stream": seen["stream"], "request": seen["request"], "events": seen["events"], "first_broken": broken, "covered_to": seen["covered_to"], "not_covered": uncovered}))
    sys.exit(verdict != "ok")
main(*sys.argv[1:])
