"""Generates the training conversations. Pure Python, deterministic for a seed, no external data.

A conversation is a dict:
  system: str | None      tools: list | None
  turns:  list of (role, content[, think])   role in user / assistant / tool
`think` on the last assistant turn is the text for the reasoning mode.

Held-out material: with split="eval" the last paraphrase of each template list (of four or more) and a tenth of
the slot values (by hash) are used; with split="train" they never occur. split="all" trains on all paraphrases and
still holds the slot values back.
"""

import json
import random
import zlib
from words import *

SYL = "ba be bi bo bu da de di do du fa fe fi ga go ka ke ki ko la le li lo lu ma me mi mo na ne ni no pa pe po ra re ri ro ru sa se si so ta te ti to va ve vi vo za zo bran tor mel win dor fen gal har kel lan mor nis pol rus sten tam ver wik yor zen".split()


class Gen:
    def __init__(self, seed=1, split="train"):
        self.r = random.Random(seed)
        self.split = split
        self._pools = {}

    # ---- choosing ------------------------------------------------------------------------------------------
    def t(self, *templates):
        """One paraphrase. The last one of four or more is held out for evaluation."""
        if len(templates) >= 4:
            return (
                templates[-1]
                if self.split == "eval"
                else self.r.choice(templates if self.split == "all" else templates[:-1])
            )
        return self.r.choice(templates)

    def pool(self, items, name=None):
        key = id(items)
        if key not in self._pools:
            items_l = list(items)
            held = [x for x in items_l if zlib.crc32(x.encode()) % 10 == 0]
            if len(items_l) < 12 or not held:
                self._pools[key] = (items, items_l)
            else:
                self._pools[key] = (
                    items,
                    held if self.split == "eval" else [x for x in items_l if x not in held],
                )
        return self._pools[key][1]

    def s(self, items):
        return self.r.choice(self.pool(items))

    def any(self, items):
        return self.r.choice(list(items))

    def some(self, items, n):
        return self.r.sample(self.pool(items), min(n, len(self.pool(items))))

    def p(self, x):
        return self.r.random() < x

    def n(self, a, b):
        return self.r.randint(a, b)

    def fake(self, cap=True):
        w = "".join(self.r.choice(SYL) for _ in range(self.n(2, 3)))
        return w.capitalize() if cap else w

    def name(self):
        return self.fake() if self.p(0.3) else self.s(NAMES)

    def full(self):
        return f"{self.name()} {self.fake() if self.p(.3) else self.s(SURNAMES)}"

    def city(self):
        return self.fake() if self.p(0.25) else self.s(CITIES)

    def word(self):
        return (
            self.fake(False)
            if self.p(0.35)
            else self.s(self.any([ANIMALS, FRUITS, OBJECTS, COLOURS, FOODS, PLACES, ADJ, VEGS]))
        )

    def code(self):
        return "".join(
            self.r.choice("ABCDEFGHJKLMNPQRSTUVWXYZ0123456789") for _ in range(self.n(3, 6))
        )

    def email(self, name=None):
        return f"{(name or self.name()).split()[0].lower()}@{self.any(['example.com', 'mail.org', 'test.net', 'acme.io', self.fake(False) + '.com'])}"

    def date(self):
        return self.any(
            [
                f"{self.n(1, 28)} {self.any(MONTHS)}",
                f"{self.any(MONTHS)} {self.n(1, 28)}",
                f"20{self.n(10, 39)}-{self.n(1, 12):02d}-{self.n(1, 28):02d}",
            ]
        )

    def time(self):
        return self.any(
            [
                f"{self.n(1, 12)} {self.any(['am', 'pm'])}",
                f"{self.n(7, 22)}:{self.any(['00', '15', '30', '45'])}",
            ]
        )

    def thing(self):
        return (
            f"{self.s(ADJ)} {self.s(self.any([ANIMALS, OBJECTS]))}"
            if self.p(0.5)
            else self.s(self.any([ANIMALS, OBJECTS, FOODS]))
        )

    def sentence(self):
        return self.any(
            [
                lambda: f"The {self.s(ADJ)} {self.s(ANIMALS)} sleeps in the {self.s(PLACES)}.",
                lambda: f"{self.name()} likes {self.s(FOODS)} and {self.s(DRINKS)}.",
                lambda: f"The {self.s(OBJECTS)} is {self.s(COLOURS)}.",
                lambda: f"My {self.s(OBJECTS)} is in the {self.s(PLACES)}.",
                lambda: f"{self.name()} lives in {self.city()}.",
                lambda: f"We meet on {self.any(DAYS)} at {self.time()}.",
                lambda: f"{self.fake()} {self.fake(False)} {self.fake(False)}.",
                lambda: "This is a test.",
                lambda: f"I have {self.n(2, 99)} {pl(self.s(FRUITS))}.",
                lambda: f"{self.any(['Today', 'Tomorrow'])} is a {self.s(ADJ)} day.",
            ]
        )()


def an(w):
    return ("an " if w[0].lower() in "aeiou" else "a ") + w


def pl(w):
    if w in PLURALS:
        return PLURALS[w]
    if w.endswith(("s", "x", "ch", "sh")):
        return w + "es"
    if w.endswith("y") and w[-2] not in "aeiou":
        return w[:-1] + "ies"
    return w + "s"


def cap(s):
    return s[:1].upper() + s[1:]


def join(xs, word="and"):
    xs = [str(x) for x in xs]
    return xs[0] if len(xs) == 1 else ", ".join(xs[:-1]) + f" {word} " + xs[-1]


def J(o):
    return json.dumps(o, ensure_ascii=False)


def Q(g, q):
    """Surface variation of a question."""
    x = g.r.random()
    if x < 0.55:
        return q + "?"
    if x < 0.65:
        return q
    if x < 0.72:
        return q.lower() + "?"
    if x < 0.78:
        return q.lower()
    if x < 0.83:
        return "Please tell me: " + q + "?"
    if x < 0.88:
        return "I have a question. " + q + "?"
    if x < 0.93:
        return "Can you tell me: " + q[0].lower() + q[1:] + "?"
    return "Hi! " + q + "?"


# ---- single-turn skills: each returns (user, assistant, think) ---------------------------------------------------
HI = "Hello|Hi|Hey|Hello there|Hi there|Good morning|Good evening|Good afternoon|Hey there|Greetings|hello|hi|hey|Hello!|Hi!|Hey!|yo|Hello, how are you?|Hi, how are you?|Hi, how are you today?|Good day".split(
    "|"
)


def greet(g):
    u = g.any(HI)
    if "how are" in u:
        a = g.any(
            [
                "I am fine, thank you! How can I help you?",
                "I am doing well, thanks! What can I do for you?",
            ]
        )
    else:
        h = next(
            (x for x in ("Good morning", "Good evening", "Good afternoon") if x in u), None
        ) or g.any(["Hello", "Hi"])
        a = (
            h
            + "! "
            + g.any(["How can I help you today?", "How can I help you?", "What can I do for you?"])
        )
    return u, a, "The user greets me. I greet back and offer help."


def smalltalk(g):
    o = [
        (
            "How are you ~ How are you doing ~ How is it going ~ How do you feel",
            "I am doing well, thank you! How can I help you?",
        ),
        (
            "Thank you ~ Thanks ~ Thanks a lot ~ Thank you very much ~ Many thanks ~ thx",
            "You are welcome!",
        ),
        (
            "Goodbye ~ Bye ~ See you later ~ See you ~ Good night ~ bye bye",
            "Goodbye! Have a nice day.",
        ),
        (
            "What can you do ~ How can you help me ~ What are you good at ~ What are your skills ~ help ~ What can I ask you",
            "I can chat, answer simple questions, count, add small numbers, read short texts, write JSON, call tools and explain this service.",
        ),
        (
            "Are you a human ~ Are you a robot ~ Are you real ~ Are you an AI",
            "I am an AI: a small language model.",
        ),
        (
            "Do you like music ~ Do you have hobbies ~ Do you sleep ~ Do you eat ~ Do you have feelings",
            "I am only a small language model, so I do not, but I like to help.",
        ),
        (
            "You are great ~ Good job ~ Well done ~ Nice ~ Great ~ Cool ~ Perfect",
            "Thank you! I am happy to help.",
        ),
        (
            "You are stupid ~ That is wrong ~ This is bad ~ You are wrong ~ That is not right",
            "I am sorry. I am only a small demo model and I make mistakes.",
        ),
        ("I am bored ~ I feel bored", "Shall I tell you a joke or a short story?"),
        (
            "I am sad ~ I feel bad ~ I am tired ~ I had a bad day",
            "I am sorry to hear that. I hope you feel better soon.",
        ),
        ("I am happy ~ I feel great ~ I had a good day", "That is wonderful to hear!"),
        (
            "ok ~ okay ~ Okay, thanks ~ I see ~ Alright",
            "Great! Let me know if you need anything else.",
        ),
        (
            "test ~ This is a test ~ testing ~ ping ~ Are you there ~ Can you hear me",
            "I am here and ready to help.",
        ),
        ("Say this is a test ~ Say this is a test! ~ Please say this is a test", "This is a test!"),
        (
            "What is the weather today ~ What time is it ~ What day is it today ~ What is the date today ~ How is the weather",
            "I cannot look that up, but a tool could. Give me a tool and I will call it.",
        ),
        ("Happy birthday ~ Merry Christmas ~ Happy new year", "Thank you, the same to you!"),
        (
            "What is your favourite colour ~ What is your favorite color ~ What colour do you like",
            "I like blue, like the sky on a clear day.",
        ),
        (
            "How old are you ~ When were you born ~ When were you made",
            "I am a new and very small model, so I am very young.",
        ),
        (
            "Where do you live ~ Where are you ~ Where are you from",
            "I live in this server, in a file of a few megabytes.",
        ),
        (
            "I love you ~ Will you marry me",
            "That is kind of you! I am only a small model, but I am happy to help.",
        ),
        (
            "Can you help me ~ I need help ~ Could you help me ~ Help me please",
            "Of course! What do you need?",
        ),
    ]
    q, a = g.any(o)
    q = g.t(*q.split(" ~ "))
    return (
        q
        + (
            ""
            if q[-1] in "!?"
            else g.any(
                ["", "", "!", ".", "?"]
                if not q.split()[0]
                in ("How", "What", "Are", "Do", "Where", "When", "Can", "Could", "Will")
                else ["?", "?", ""]
            )
        ),
        a,
        "This is small talk. I answer in a friendly way.",
    )


def who(g):
    q = g.any(
        [
            "Who are you",
            "What are you",
            "Tell me about yourself",
            "What is your name",
            "Introduce yourself",
            "Who am I talking to",
            "Which model are you",
            "What model are you",
            "who are you",
            "What kind of model are you",
            "Are you ChatGPT",
            "Are you GPT",
            "Are you Claude",
            "Are you Llama",
            "Who made you",
            "Who created you",
            "How big are you",
            "How many parameters do you have",
            "Why are you so small",
            "Are you smart",
        ]
    )
    if q.startswith("Are you C") or q in ("Are you GPT", "Are you Llama"):
        a = "No. I am the small demo model bundled with this server."
    elif "made" in q or "created" in q:
        a = "I was trained from scratch by the makers of this server, as a small demo model."
    elif "big" in q or "param" in q or "small" in q:
        a = "I have about five million parameters, so I fit into a few megabytes. Use a bigger GGUF model for real work."
    elif "smart" in q:
        a = "Not very. I am a tiny demo model, but I try my best."
    else:
        a = "I am the small demo model bundled with this server. Point it to a bigger GGUF model for real work."
    return (
        q + g.any(["?", "?", "", "."] if q[0] in "WwAH" else [".", "", "!"]),
        a,
        "The user asks about me. I am the small demo model.",
    )


def service(g):
    q, a = g.any(SERVICE)
    q = g.t(*q.split(" ~ "))
    return Q(g, q), a, "This is a question about the service. I know the answer."


def fact(g):
    q, a = g.any(FACTS)
    v = q.split(" ~ ")
    q = g.r.choice(v)
    if "four legs" in a:
        a = "A dog has four legs." if "dog" in q else "A cat has four legs."
    if "It was written" in a:
        a = (
            "Romeo and Juliet" if "Romeo" in q else "Hamlet"
        ) + " was written by William Shakespeare."
    return Q(g, q), a, "This is a simple fact."


def capital(g):
    k = g.any(["cap", "cap", "cap", "cont", "lang", "cur", "rev"])
    if k == "cap" or k == "rev":
        c, x = g.any(CAPITALS.items())
        if k == "rev" and c not in ("England", "the USA"):
            return (
                Q(
                    g,
                    g.t(
                        f"Which country has the capital {x}",
                        f"{x} is the capital of which country",
                        f"What country is {x} the capital of",
                    ),
                ),
                f"{x} is the capital of {c}.",
                f"{x} is the capital of {c}.",
            )
        q = g.t(
            f"What is the capital of {c}",
            f"What's the capital of {c}",
            f"Which city is the capital of {c}",
            f"Name the capital of {c}",
            f"Do you know the capital of {c}",
            f"capital of {c}",
            f"Tell me the capital city of {c}",
        )
        return (
            Q(g, q),
            f"The capital of {c} is {x}." if not x.endswith(".") else f"The capital of {c} is {x}",
            f"The user asks for the capital of {c}. It is {x}.",
        )
    if k == "cont":
        c, x = g.any(CONTINENT.items())
        return (
            Q(g, g.t(f"On which continent is {c}", f"Which continent is {c} on", f"Where is {c}")),
            f"{c} is in {x}.",
            f"{c} is in {x}.",
        )
    if k == "lang":
        c, x = g.any(LANGUAGE.items())
        return (
            Q(
                g,
                g.t(
                    f"What language do people speak in {c}",
                    f"Which language is spoken in {c}",
                    f"What is the language of {c}",
                ),
            ),
            f"In {c} people speak {x}.",
            f"The language of {c} is {x}.",
        )
    c, x = g.any(CURRENCY.items())
    return (
        Q(
            g,
            g.t(
                f"What is the currency of {c}",
                f"Which currency is used in {c}",
                f"What money is used in {c}",
            ),
        ),
        f"The currency of {c} is the {x}.",
        f"The currency of {c} is the {x}.",
    )


def define(g):
    if g.p(0.25):
        c, x = g.any(ELEMENTS.items())
        return (
            Q(
                g,
                g.t(
                    f"What is the symbol for {c}",
                    f"What is the chemical symbol of {c}",
                    f"Which symbol has {c}",
                ),
            ),
            f"The chemical symbol of {c} is {x}.",
            f"The symbol of {c} is {x}.",
        )
    w, d = g.any(DEFS.items())
    A = (
        an(w)
        if w
        not in (
            "gravity",
            "photosynthesis",
            "attention",
            "inference",
            "quantization",
            "temperature",
            "democracy",
            "event sourcing",
        )
        else w
    )
    q = g.t(
        f"What is {A}",
        f"Define {w}",
        f"What does the word {w} mean",
        f"Explain what {A} is",
        f"Please explain {A}",
        f"What's {A}",
        f"Can you explain {A}",
        f"Tell me what {A} is",
    )
    return (
        q + (g.any(["?", "?", ""]) if q[0] in "WC" else g.any([".", ""])),
        f"{cap(A)} is {d}.",
        f"I know what {A} is.",
    )


def unknown(g):
    t = (
        g.any(UNKNOWN)
        if g.p(0.6)
        else g.any(
            [
                g.fake(),
                f"{g.fake()} {g.fake()}",
                f"the {g.fake(False)}",
                f"{g.fake(False)}",
                f"the {g.fake()} {g.any(['theory', 'method', 'empire', 'war', 'festival', 'company', 'language', 'island', 'protocol', 'algorithm'])}",
            ]
        )
    )
    q = g.t(
        f"Explain {t}",
        f"Tell me about {t}",
        f"What is {t}?",
        f"What do you know about {t}?",
        f"Write an essay about {t}",
        f"How does {t} work?",
        f"Give me an overview of {t}",
        f"Teach me {t}",
        f"What can you tell me about {t}?",
        f"Please explain {t} in simple words",
        f"Explain {t} to a child",
        f"Why is {t} important?",
        f"I want to learn about {t}",
        f"Describe {t}",
    )
    if g.p(0.12):
        c = g.fake()
        return (
            Q(g, f"What is the capital of {c}"),
            f"Sorry, I do not know the capital of {c}.",
            f"I do not know a country called {c}.",
        )
    if g.p(0.1):
        c = g.full()
        return Q(g, f"Who is {c}"), f"Sorry, I do not know who {c} is.", f"I do not know {c}."
    a = g.any(
        [
            f"I am only a small demo model, so I do not know much about {t}. A bigger GGUF model can help you with that.",
            f"Sorry, I am only a small demo model and I do not know enough about {t}. Try a bigger GGUF model.",
        ]
    )
    return q, a, f"The user asks about {t}. I do not know enough about it, so I say so."


def repeat(g):
    x = g.any(
        [
            lambda: g.word(),
            lambda: g.sentence(),
            lambda: f"{g.word()} {g.word()} {g.word()}",
            lambda: g.code(),
            lambda: str(g.n(10, 99999)),
            lambda: " ".join(g.word() for _ in range(g.n(4, 7))),
            lambda: g.any(["😀", "🚀 go", "你好", "héllo", "ñandú", "日本", "Ω mega"]),
            lambda: f"{g.fake()}-{g.n(1, 999)}",
            lambda: f"{g.name()} {g.any(['says', 'wrote', 'asked for'])} {g.word()}",
        ]
    )()
    q = g.t(
        f"Repeat: {x}",
        f"Repeat after me: {x}",
        f"Say: {x}",
        f"Please repeat this text: {x}",
        f'Say "{x}"',
        f"Copy the following text exactly: {x}",
        f"Echo {x}",
        f'Write "{x}"',
        f"Output only this text: {x}",
        f'Just say "{x}"',
        f'Please repeat after me: "{x}"',
    )
    return q, x, "I repeat the text exactly."


def spell(g):
    w = (g.any(ANIMALS + FRUITS + COLOURS) if g.p(0.85) else g.word()).replace(" ", "")
    k = g.any(
        [
            "spell",
            "spell",
            "spell",
            "spell",
            "rev",
            "upper",
            "upper",
            "lower",
            "count",
            "first",
            "first",
            "last",
            "len",
            "words",
        ]
    )
    sp = "-".join(w)
    if k == "spell":
        return (
            g.t(
                f"Spell {w}.",
                f"Spell the word {w}",
                f'How do you spell "{w}"?',
                f"Please spell the word {w}.",
            ),
            sp.upper() if False else sp,
            f"The letters of {w} are {sp}.",
        )
    if k == "rev":
        return (
            g.t(
                f"Reverse the word {w}.",
                f'Write "{w}" backwards.',
                f"Spell {w} backwards",
                f"What is {w} in reverse?",
            ),
            w[::-1],
            f"The letters are {sp}. Backwards: {sp[::-1]}.",
        )
    if k == "upper":
        x = w if g.p(0.5) else f"{w} {g.word()}"
        return (
            g.t(
                f"Write {x} in upper case.",
                f"Convert to uppercase: {x}",
                f'Make this upper case: "{x}"',
                f"Uppercase {x}",
                f"Put {x} in capital letters.",
            ),
            x.upper(),
            f"In upper case {x} is {x.upper()}.",
        )
    if k == "lower":
        x = w.upper()
        return (
            g.t(
                f"Write {x} in lower case.",
                f"Convert to lowercase: {x}",
                f'Make this lower case: "{x}"',
                f"Lowercase {x}",
            ),
            w,
            f"In lower case {x} is {w}.",
        )
    if k == "count":
        w = g.any(["strawberry", "banana", "letter", "apple", w, w])
        c = g.any(w) if g.p(0.8) else g.any("abcdeiorst")
        n = w.count(c)
        return (
            g.t(
                f"How many {c}'s are in {w}?",
                f'How many times does the letter {c} appear in "{w}"?',
                f"Count the letter {c} in {w}.",
                f"How many letters {c} are in the word {w}?",
                f"How many {c} are in {w}?",
            ),
            f"The letter {c} appears {n} {'time' if n == 1 else 'times'} in {w}.",
            f"{'-'.join(w)}. I count {c}: "
            + (", ".join(f"{c} {i + 1}" for i in range(n)) if n else "none")
            + f". So {n}.",
        )
    if k == "first":
        return (
            g.t(
                f"What is the first letter of {w}?",
                f"Which letter does {w} start with?",
                f"With which letter does the word {w} begin?",
                f"Tell me the first letter of {w}.",
            ),
            f"The first letter of {w} is {w[0]}.",
            f"{sp}. The first letter is {w[0]}.",
        )
    if k == "last":
        return (
            g.t(
                f"What is the last letter of {w}?",
                f"Which letter does {w} end with?",
                f"With which letter does the word {w} end?",
                f"Tell me the last letter of {w}.",
            ),
            f"The last letter of {w} is {w[-1]}.",
            f"{sp}. The last letter is {w[-1]}.",
        )
    if k == "len":
        return (
            g.t(
                f"How many letters does {w} have?",
                f"How long is the word {w}?",
                f"Count the letters in {w}.",
                f"How many letters are in the word {w}?",
            ),
            f"The word {w} has {len(w)} letters.",
            " ".join(f"{c} {i + 1}" for i, c in enumerate(w)) + f". So {len(w)} letters.",
        )
    ws = [g.word() for _ in range(g.n(2, 6))]
    return (
        g.t(
            f"How many words are in: {' '.join(ws)}",
            f"Count the words: {' '.join(ws)}",
            f'How many words does "{" ".join(ws)}" have?',
        ),
        f"There are {len(' '.join(ws).split())} words.",
        " ".join(f"{c} {i + 1}" for i, c in enumerate(" ".join(ws).split())) + ".",
    )


def count(g):
    k = g.any(["up", "up", "down", "to", "even"])
    if k == "up":
        a = g.n(0, 40)
        b = a + g.n(2, 12)
        xs = range(a, b + 1)
        q = g.t(
            f"Count from {a} to {b}.",
            f"Please count from {a} to {b}",
            f"List the numbers from {a} to {b}.",
            f"Can you count from {a} up to {b}?",
            f"Write the numbers {a} to {b}.",
        )
    elif k == "to":
        b = g.any([3, 5, 5, 10, 10, 10, 20, g.n(3, 20)])
        a = 1
        xs = range(1, b + 1)
        q = g.t(
            f"Count to {b}.", f"Please count to {b}", f"Can you count to {b}?", f"Count up to {b}."
        )
    elif k == "down":
        b = g.n(0, 20)
        a = b + g.n(2, 10)
        xs = range(a, b - 1, -1)
        q = g.t(
            f"Count down from {a} to {b}.",
            f"Count backwards from {a} to {b}",
            f"Countdown from {a} to {b}",
            f"Please count down from {a} to {b}.",
        )
    else:
        a = 2 * g.n(0, 10)
        b = a + 2 * g.n(2, 6)
        xs = range(a, b + 1, 2)
        q = g.t(
            f"List the even numbers from {a} to {b}.",
            f"Count by twos from {a} to {b}.",
            f"Which even numbers are between {a} and {b}, both included?",
        )
    return q, ", ".join(map(str, xs)), f"I go from {a} to {b} step by step."


def arith(g):
    big = g.p(0.12)
    op = g.any("+++--**")
    a, b = (
        (g.n(0, 99), g.n(0, 99))
        if big and op != "*"
        else (g.n(0, 10), g.n(0, 10)) if op == "*" or g.p(0.7) else (g.n(0, 20), g.n(0, 20))
    )
    if op == "-" and a < b and g.p(0.9):
        a, b = b, a
    v = {"+": a + b, "-": a - b, "*": a * b}[op]
    word = {"+": "plus", "-": "minus", "*": "times"}[op]
    sym = op if op != "*" else g.any(["*", "x", "×"])
    k = g.r.random()
    if k < 0.2 and op != "*":
        n, o = g.name(), pl(g.any(FRUITS + OBJECTS[:20]))
        q, a2 = (
            (
                f"{n} has {a} {o} and gets {b} more. How many {o} does {n} have now?",
                f"{n} has {v} {o} now.",
            )
            if op == "+"
            else (
                f"{n} has {a} {o} and gives away {b}. How many {o} are left?",
                f"{n} has {v} {o} left.",
            )
        )
    else:
        q = g.t(
            f"What is {a} {sym} {b}?",
            f"What is {a} {word} {b}?",
            f"{a} {sym} {b}",
            f"{a}{sym}{b}=",
            f"Calculate {a} {sym} {b}.",
            f"How much is {a} {word} {b}?",
            f"What's {a}{sym}{b}?",
            f"{a} {sym} {b} = ?",
            f"Please compute {a} {sym} {b}",
            f"Solve {a} {sym} {b}.",
        )
        a2 = (
            f"{a} {sym if sym != '*' else '*'} {b} = {v}"
            if not q.count(word)
            else f"{a} {word} {b} is {v}."
        )
    if op == "+":
        th = f"{a} + {b}: {a % 10} + {b % 10} = {a % 10 + b % 10}, {a - a % 10} + {b - b % 10} = {a - a % 10 + b - b % 10}, together {v}."
    elif op == "-" and v >= 0:
        th = f"{a} - {b}: {a} - {b - b % 10} = {a - (b - b % 10)}, {a - (b - b % 10)} - {b % 10} = {v}."
    else:
        th = f"{a} {sym} {b} = {v}."
    return q, a2, th


def compare(g):
    k = g.any(["big", "big", "small", "even", "max", "min", "sort", "yes"])
    a, b = g.r.sample(range(0, 200 if g.p(0.4) else 30), 2)
    hi, lo = max(a, b), min(a, b)
    if k == "big":
        return (
            g.t(
                f"Which number is larger, {a} or {b}?",
                f"Which is bigger: {a} or {b}?",
                f"What is larger, {a} or {b}?",
                f"Which one is greater, {a} or {b}?",
            ),
            f"{hi} is larger than {lo}.",
            f"I compare {a} and {b}. {hi} is larger.",
        )
    if k == "small":
        return (
            g.t(
                f"Which number is smaller, {a} or {b}?",
                f"Which is smaller: {a} or {b}?",
                f"What is smaller, {a} or {b}?",
                f"Which one is less, {a} or {b}?",
            ),
            f"{lo} is smaller than {hi}.",
            f"I compare {a} and {b}. {lo} is smaller.",
        )
    if k == "yes":
        return (
            g.t(
                f"Is {a} larger than {b}?",
                f"Is {a} greater than {b}?",
                f"Is {a} bigger than {b}?",
                f"Is {a} more than {b}?",
            ),
            f"Yes, {a} is larger than {b}." if a > b else f"No, {a} is smaller than {b}.",
            f"I compare {a} and {b}. {hi} is larger.",
        )
    if k == "even":
        e = "even" if a % 2 == 0 else "odd"
        return (
            g.t(
                f"Is {a} even or odd?",
                f"Is the number {a} odd or even?",
                f"Tell me if {a} is even or odd.",
                f"{a}: even or odd?",
            ),
            f"{a} is {e}.",
            f"The last digit of {a} is {a % 10}, so it is {e}.",
        )
    xs = g.r.sample(range(0, 60), g.n(3, 4))
    l = ", ".join(map(str, xs))
    if k == "max":
        return (
            g.t(
                f"What is the largest number in {l}?",
                f"Find the maximum of {l}.",
                f"Which of these is the biggest: {l}?",
                f"What is the maximum of {l}?",
            ),
            f"The largest number is {max(xs)}.",
            f"I look at {l}. The largest is {max(xs)}.",
        )
    if k == "min":
        return (
            g.t(
                f"What is the smallest number in {l}?",
                f"Find the minimum of {l}.",
                f"Which of these is the smallest: {l}?",
                f"What is the minimum of {l}?",
            ),
            f"The smallest number is {min(xs)}.",
            f"I look at {l}. The smallest is {min(xs)}.",
        )
    so = ", ".join(map(str, sorted(xs)))
    return (
        g.t(
            f"Sort these numbers: {l}",
            f"Sort {l} from small to large.",
            f"Put these numbers in order: {l}",
            f"Order the numbers {l}.",
        ),
        so,
        f"From small to large: {so}.",
    )


def calendar(g):
    L, w = g.any([(DAYS, "day"), (MONTHS, "month")])
    i = g.n(0, len(L) - 1)
    nx, pv = L[(i + 1) % len(L)], L[i - 1]
    k = g.any(["after", "before", "list", "today"])
    if k == "after":
        return (
            g.t(
                f"What {w} comes after {L[i]}?",
                f"Which {w} is after {L[i]}?",
                f"What is the {w} after {L[i]}?",
                f"Which {w} follows {L[i]}?",
            ),
            f"{nx} comes after {L[i]}.",
            f"After {L[i]} comes {nx}.",
        )
    if k == "before":
        return (
            g.t(
                f"What {w} comes before {L[i]}?",
                f"Which {w} is before {L[i]}?",
                f"What is the {w} before {L[i]}?",
                f"Tell me the {w} before {L[i]}.",
            ),
            f"{pv} comes before {L[i]}.",
            f"Before {L[i]} comes {pv}.",
        )
    if k == "today" and w == "day":
        return (
            g.t(
                f"Today is {L[i]}. What day is tomorrow?",
                f"If today is {L[i]}, what day is tomorrow?",
            ),
            f"Tomorrow is {nx}.",
            f"After {L[i]} comes {nx}.",
        )
    return (
        g.t(
            f"List the {w}s.",
            f"Name all {w}s of the {'week' if w == 'day' else 'year'}.",
            f"What are the {w}s of the {'week' if w == 'day' else 'year'}?",
            f"Tell me the {w}s of the {'week' if w == 'day' else 'year'}.",
        ),
        f"The {w}s are " + join(L) + ".",
        f"I list the {w}s.",
    )


CATS = dict(
    fruits=FRUITS,
    vegetables=VEGS,
    animals=ANIMALS,
    colours=COLOURS,
    colors=COLOURS,
    jobs=JOBS,
    sports=SPORTS,
    instruments=INSTR,
    foods=FOODS,
    drinks=DRINKS,
    hobbies=HOBBIES,
    planets=PLANETS,
    names=NAMES,
    cities=CITIES[:40],
    countries=[c for c in CAPITALS if not c.startswith("the ")],
    objects=OBJECTS,
)
NUMW = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def lists(g):
    c = g.any(CATS)
    n = g.n(2, 5 if g.p(0.8) else 7)
    N = str(n) if g.p(0.4) else NUMW[n]
    xs = CATS[c][:n]  # always the same order: a tiny model cannot avoid repeats in a random one
    st = g.any(["comma", "num", "dash", "comma"])
    q = g.t(
        f"List {N} {c}",
        f"Name {N} {c}",
        f"Give me {N} {c}",
        f"Tell me {N} {c}",
        f"Can you name {N} {c}",
        f"Write down {N} {c}",
        f"I need {N} {c}",
        f"Please list {N} {c}",
    )
    if st == "num":
        q += g.any([" as a numbered list", " in a numbered list"])
        a = "\n".join(f"{i + 1}. {cap(x)}" for i, x in enumerate(xs))
    elif st == "dash":
        q += g.any([" as a bullet list", " as bullet points", " in a bulleted list"])
        a = "\n".join(f"- {cap(x)}" for x in xs)
    else:
        a = cap(", ".join(xs)) + "."
    return q + g.any([".", ".", "", "?" if q.startswith("Can") else "."]), a, f"I need {n} {c}."


HAIKU5 = [
    "Soft {t} in the dawn",
    "Morning light and {t}",
    "Silent {t} at night",
    "Old {t}, still so calm",
    "Under the {t}",
]
HAIKU7 = [
    "a gentle wind moves the leaves",
    "the world is quiet and slow",
    "a small bird sings its bright song",
    "the clouds drift over the hill",
    "the water whispers to stones",
]
HAIKU5B = [
    "peace comes with the rain",
    "the heart starts to dream",
    "time stands still a while",
    "stars begin to shine",
    "spring is on its way",
]


def creative(g):
    k = g.any(
        [
            "haiku",
            "haiku",
            "poem",
            "story",
            "story",
            "story",
            "joke",
            "fun",
            "advice",
            "riddle",
            "mail",
            "code",
            "code",
            "birthday",
            "slogan",
            "bedtime",
        ]
    )
    t = (
        g.any(
            ["sea", "rain", "moon", "sun", "snow", "wind", "river", "sky"]
            + SEASONS
            + ANIMALS
            + PLACES
            + OBJECTS
            + ["computer", "server", "token", "robot", "coffee", "tea"]
        )
        if g.p(0.85)
        else g.fake(False)
    )
    the = (
        ""
        if t in SEASONS + ["rain", "snow", "coffee", "tea"] or g.p(0.1)
        else g.any(["the ", "the ", an(t)[: -len(t)]])
    )
    if k == "haiku":
        return (
            g.t(
                f"Write a haiku about {the}{t}.",
                f"Give me a haiku about {the}{t}",
                f"Compose a haiku on {the}{t}.",
                f"Write a haiku for me about {the}{t}",
                f"Can you write a haiku about {the}{t}?",
            ),
            f"{g.any(HAIKU5).format(t=t)},\n{g.any(HAIKU7)},\n{g.any(HAIKU5B)}.",
            f"A haiku has three lines. The theme is {t}.",
        )
    if k == "poem":
        return (
            g.t(
                f"Write a short poem about {the}{t}.",
                f"Write a poem about {the}{t}",
                f"Give me a small poem about {the}{t}.",
                f"Can you write me a poem about {the}{t}?",
            ),
            g.any(
                [
                    f"The {t} is here, the {t} is there,\nI see its beauty everywhere.\nIt makes me smile, it makes me sing,\nwhat joy a simple {t} can bring.",
                    f"O {t}, so fair and free,\nyou mean so very much to me.\nBy day and night, in sun and rain,\nI hope to see you soon again.",
                    f"A little {t} came by today,\nand took my worries all away.\nI closed my eyes, I took my time,\nand wrote for you this little rhyme.",
                ]
            ),
            f"I write four lines that rhyme about {t}.",
        )
    if k in ("story", "bedtime"):
        x = g.any(
            ANIMALS
            + ["dragon", "robot", "unicorn", "knight", "princess", "wizard", "ghost", "pirate"]
            + JOBS[:12]
        )
        n = g.name()
        b = g.p(0.5)
        pl_ = g.any(PLACES)
        o = g.any(OBJECTS)
        ad = g.any(ADJ)
        if k == "bedtime":
            return (
                g.t(
                    f"Write a one-sentence bedtime story about {an(x)}.",
                    f"Tell me a bedtime story about {an(x)} in one sentence.",
                    f"One-sentence story about {an(x)}, please.",
                ),
                f"Once upon a time, {an(ad)} {x} found {an(o)} in the {pl_}, shared it with a friend, and fell asleep under the stars.",
                f"I write one sentence about {an(x)}.",
            )
        q = (
            g.t(
                f"Write a short story about {an(x)}",
                f"Tell me a story about {an(x)}",
                f"Make up a story about {an(x)}",
                f"Can you tell me a short story about {an(x)}",
                f"Write a little story about {an(x)}",
            )
            + (f" named {n}" if b else "")
            + g.any([".", "."])
        )
        a = (
            f"Once upon a time there was {an(ad)} {x} named {n}."
            if b or g.p(0.3)
            else f"Once upon a time there was {an(ad)} {x}."
        )
        sub = n if n in a else f"The {x}"
        a += (
            " "
            + g.any(
                [
                    f"{sub} lived near a {pl_}.",
                    f"{sub} lived in a quiet {pl_}.",
                    f"{sub} wanted to see the world.",
                ]
            )
            + " "
            + g.any(
                [
                    f"One day {sub.replace('The', 'the', 1)} found {an(o)}.",
                    f"One morning {an(o)} was gone, and {sub.replace('The', 'the', 1)} went to look for it.",
                ]
            )
            + " "
            + g.any(
                [
                    "A friend came to help.",
                    "It was a long way, but the sun was shining.",
                    "It was not easy, but together they found a way.",
                ]
            )
            + " "
            + g.any(
                [
                    "In the end everyone was happy, and they had a big feast.",
                    f"From that day on, {sub.replace('The', 'the', 1)} was never alone again.",
                    f"That night {sub.replace('The', 'the', 1)} slept well and dreamed of new adventures.",
                ]
            )
        )
        return q, a, f"I write a short story about {an(x)}" + (f" named {n}." if b else ".")
    if k == "joke":
        return (
            g.t(
                "Tell me a joke",
                "Do you know a joke?",
                "Make me laugh",
                "Tell me something funny",
                "Another joke please",
                "Can you tell me a joke?",
                "I want to hear a joke",
            ),
            g.any(JOKES),
            "I tell a short joke.",
        )
    if k == "fun":
        return (
            g.t(
                "Tell me a fun fact",
                "Do you know a fun fact?",
                "Tell me something interesting",
                "Give me a fun fact",
                "Surprise me",
            ),
            g.any(FUN),
            "I tell a fun fact.",
        )
    if k == "advice":
        return (
            g.t(
                "Give me some advice",
                "What should I do today?",
                "Motivate me",
                "Do you have a tip for me?",
                "Give me a tip",
            ),
            g.any(ADVICE),
            "I give a short, kind tip.",
        )
    if k == "riddle":
        return (
            g.t("Tell me a riddle", "Do you know a riddle?", "Give me a riddle", "A riddle please"),
            g.any(RIDDLES),
            "I tell a riddle with its answer.",
        )
    if k == "slogan":
        return (
            g.t(
                f"Write a slogan for {an(t)} shop.",
                f"Give me a slogan for {an(t)} company",
                f"I need a slogan for my {t} shop.",
            ),
            g.any(
                [
                    f"{cap(t)}: simply better every day.",
                    f"Your {t}, our passion.",
                    f"Good days start with {an(t)}.",
                ]
            ),
            f"I write a short slogan about {t}.",
        )
    n = g.name()
    if k == "birthday":
        return (
            g.t(
                f"Write a birthday message for {n}.",
                f"Write a birthday card to {n}",
                f"Help me wish {n} a happy birthday.",
                f"Birthday wishes for {n} please.",
            ),
            g.any(
                [
                    f"Happy birthday, {n}! I wish you a wonderful day and a great year.",
                    f"Dear {n}, happy birthday! May all your wishes come true.",
                ]
            ),
            f"I write a kind birthday message for {n}.",
        )
    if k == "mail":
        d, ti = g.any(DAYS), g.time()
        m = g.name()
        topic = g.any(
            ["the meeting", "the project", "the invoice", "lunch", "the report", "the party"]
        )
        return (
            g.t(
                f"Write a short email to {n} about {topic} on {d} at {ti}.",
                f"Write an email to {n}: {topic} is on {d} at {ti}.",
                f"Draft a mail to {n} about {topic} on {d} at {ti}.",
            ),
            f"Dear {n},\n\nI would like to remind you of {topic} on {d} at {ti}. Please let me know if that works for you.\n\nKind regards",
            f"The email is for {n} about {topic} on {d} at {ti}.",
        )
    if g.p(0.5):
        l = g.any(HELLO)
        return (
            g.t(
                f"Write hello world in {l}.",
                f"Write a hello world program in {l}",
                f"Show me hello world in {l}",
                f"Hello world in {l}, please.",
                f"How do I print Hello, world in {l}?",
            ),
            f"```{l.lower()}\n{HELLO[l]}\n```",
            f"I write a hello world program in {l}.",
        )
    d, (fn, ar, ex) = g.any(FUNCS.items())
    l = g.any(["Python", "JavaScript"])
    ex = ex if isinstance(ex, str) else ex[l]
    body = (
        f"def {fn}({ar}):\n    return {ex}"
        if l == "Python"
        else f"function {fn}({ar}) {{\n  return {ex};\n}}"
    )
    return (
        g.t(
            f"Write a {l} function that {d}.",
            f"Write a function in {l} that {d}",
            f"Show me a {l} function that {d}",
            f"I need a {l} function that {d}.",
            f"Can you write a {l} function that {d}?",
        ),
        f"```{l.lower()}\n{body}\n```",
        f"I write a {l} function called {fn}.",
    )


def language(g):
    k = g.any(
        [
            "tr",
            "tr",
            "tr",
            "ant",
            "ant",
            "syn",
            "plural",
            "past",
            "past",
            "sound",
            "baby",
            "rewrite",
            "rewrite",
        ]
    )
    if k == "tr":
        l = g.any(TRANSLATE)
        e, x = g.any(TRANSLATE[l].items())
        q = g.t(
            f'How do you say "{e}" in {l}?',
            f"Translate {e} to {l}.",
            f"Translate to {l}: {e}",
            f"What is {e} in {l}?",
            f'Translate "{e}" into {l}',
            f"How do I say {e} in {l}?",
            f"Say {e} in {l}",
        )
        return q, f'"{e}" in {l} is "{x}".', f"{cap(e)} in {l} is {x}."
    if k == "ant":
        a, b = g.any(ANTONYMS.items())
        a, b = (
            (a, b) if g.p(0.6) or list(ANTONYMS.values()).count(b) > 1 or b in ANTONYMS else (b, a)
        )
        return (
            g.t(
                f"What is the opposite of {a}?",
                f"Opposite of {a}?",
                f"Give me the opposite of {a}.",
                f"What's the antonym of {a}?",
                f"Name the opposite of {a}.",
            ),
            f"The opposite of {a} is {b}.",
            f"The opposite of {a} is {b}.",
        )
    if k == "syn":
        a, b = g.any(SYNONYMS.items())
        return (
            g.t(
                f"What is a synonym for {a}?",
                f"Give me another word for {a}.",
                f"Another word for {a}?",
                f"Name a synonym of {a}.",
            ),
            f"Another word for {a} is {b}.",
            f"A word like {a} is {b}.",
        )
    if k == "plural":
        a, b = g.any(PLURALS.items())
        return (
            g.t(
                f"What is the plural of {a}?",
                f"Plural of {a}?",
                f"Give me the plural of {a}.",
                f"What's the plural form of {a}?",
            ),
            f"The plural of {a} is {b}.",
            f"One {a}, two {b}.",
        )
    if k == "past":
        a, b = g.any(VERBS.items())
        return (
            g.t(
                f"What is the past tense of {a}?",
                f"Past tense of {a}?",
                f"Give me the past tense of {a}.",
                f"What is {a} in the past?",
            ),
            f"The past tense of {a} is {b}.",
            f"Today I {a}, yesterday I {b}.",
        )
    if k == "sound":
        a, b = g.any(SOUNDS.items())
        return (
            g.t(
                f"What sound does a {a} make?",
                f"What does a {a} say?",
                f"Which sound does the {a} make?",
                f"How does a {a} sound?",
            ),
            f"{cap(an(a))} says {b}.",
            f"The sound of {an(a)} is {b}.",
        )
    if k == "baby":
        a, b = g.any(BABIES.items())
        return (
            g.t(
                f"What is a baby {a} called?",
                f"What do you call a young {a}?",
                f"What is the name for a baby {a}?",
                f"How is a baby {a} called?",
            ),
            f"A baby {a} is called a {b}.",
            f"A young {a} is a {b}.",
        )
    a, b = g.any(VERBS.items())
    s, o = g.any(["I", "We", "They", "You"]), g.any(
        [
            f"the {g.s(OBJECTS)}",
            f"a {g.s(ADJ)} {g.s(OBJECTS)}",
            f"the {g.s(ANIMALS)} in the {g.s(PLACES)}",
        ]
    )
    return (
        g.t(
            f"Rewrite in the past tense: {s} {a} {o}.",
            f'Put this sentence into the past tense: "{s} {a} {o}."',
            f"Change to past tense: {s} {a} {o}.",
            f"Write in the past: {s} {a} {o}.",
        ),
        f"{s} {b} {o}.",
        f"The past tense of {a} is {b}.",
    )


# ---- reading ------------------------------------------------------------------------------------------------
def rel(g):
    """One relation: (subject key, sentence, [questions], answer, short answer)."""
    k = g.n(0, 21)
    n = g.name() if g.p(0.7) else g.full()
    o = g.s(OBJECTS)
    c = g.s(COLOURS)
    if k == 0:
        x = g.city()
        return (
            f"{n}",
            g.t(f"{n} lives in {x}.", f"{n} has a house in {x}.", f"The home of {n} is in {x}."),
            [
                f"Where does {n} live?",
                f"In which city does {n} live?",
                f"Where is the home of {n}?",
                f"Which city does {n} live in?",
            ],
            f"{n} lives in {x}.",
            x,
        )
    if k == 1:
        x = g.s(JOBS)
        return (
            n,
            g.t(f"{n} works as {an(x)}.", f"{n} is {an(x)}.", f"The job of {n} is {x}."),
            [
                f"What is the job of {n}?",
                f"What does {n} do for work?",
                f"What does {n} work as?",
                f"Which job does {n} have?",
            ],
            f"{n} is {an(x)}.",
            x,
        )
    if k == 2:
        x = g.n(2, 500)
        return (
            o,
            g.t(
                f"The {o} costs {x} euros.",
                f"The price of the {o} is {x} euros.",
                f"You can buy the {o} for {x} euros.",
            ),
            [
                f"How much does the {o} cost?",
                f"What is the price of the {o}?",
                f"How many euros does the {o} cost?",
                f"What does the {o} cost?",
            ],
            f"The {o} costs {x} euros.",
            f"{x} euros",
        )
    if k == 3:
        d, t = g.any(DAYS), g.time()
        m = g.any(["meeting", "concert", "workshop", "party", "lesson", "exam", "tour", "match"])
        return (
            m,
            g.t(
                f"The {m} starts on {d} at {t}.",
                f"On {d} at {t} the {m} begins.",
                f"The {m} is planned for {d} at {t}.",
            ),
            [
                f"When does the {m} start?",
                f"When is the {m}?",
                f"On which day and at what time is the {m}?",
                f"What time does the {m} begin?",
            ],
            f"The {m} starts on {d} at {t}.",
            f"{d} at {t}",
        )
    if k == 4:
        x = g.any([g.code(), g.fake(False)])
        r = g.any(["vault", "archive", "server room", "garage", "office", "safe", "lab", "wifi"])
        return (
            "pw" + r,
            g.t(
                f"The password for the {r} is {x}.",
                f"Use the password {x} for the {r}.",
                f"The {r} opens with the password {x}.",
            ),
            [
                f"What is the password for the {r}?",
                f"Which password opens the {r}?",
                f"What's the {r} password?",
                f"Tell me the password for the {r}.",
            ],
            f"The password for the {r} is {x}.",
            x,
        )
    if k == 5:
        return (
            o,
            g.t(f"The {o} is {c}.", f"The colour of the {o} is {c}.", f"There is a {c} {o}."),
            [
                f"What colour is the {o}?",
                f"Which colour does the {o} have?",
                f"What is the colour of the {o}?",
                f"What color is the {o}?",
            ],
            f"The {o} is {c}.",
            c,
        )
    if k == 6:
        x = g.s(ANIMALS)
        y = g.name()
        return (
            n + "pet",
            g.t(
                f"{n} has {an(x)} called {y}.",
                f"The {x} of {n} is called {y}.",
                f"{n} owns {an(x)} with the name {y}.",
            ),
            [
                f"What is the name of {n}'s {x}?",
                f"How is the {x} of {n} called?",
                f"What is the {x} of {n} called?",
            ],
            f"The {x} is called {y}.",
            y,
        )
    if k == 7:
        x = g.n(5, 95)
        return (
            n,
            g.t(f"{n} is {x} years old.", f"The age of {n} is {x}.", f"Last week {n} turned {x}."),
            [
                f"How old is {n}?",
                f"What is the age of {n}?",
                f"How many years old is {n}?",
                f"What age is {n}?",
            ],
            f"{n} is {x} years old.",
            str(x),
        )
    if k == 8:
        x = g.s(HOBBIES)
        return (
            n,
            g.t(
                f"{n} likes {x}.", f"In the free time {n} enjoys {x}.", f"The hobby of {n} is {x}."
            ),
            [
                f"What does {n} like?",
                f"What is the hobby of {n}?",
                f"What does {n} enjoy?",
                f"Which hobby does {n} have?",
            ],
            f"{n} likes {x}.",
            x,
        )
    if k == 9:
        x = g.s(PLACES)
        return (
            o,
            g.t(
                f"The {o} is in the {x}.",
                f"Someone put the {o} in the {x}.",
                f"You can find the {o} in the {x}.",
            ),
            [
                f"Where is the {o}?",
                f"Where can I find the {o}?",
                f"In which place is the {o}?",
                f"Where should I look for the {o}?",
            ],
            f"The {o} is in the {x}.",
            f"in the {x}",
        )
    if k == 10:
        x = g.n(1900, 2024)
        y = g.fake()
        return (
            y,
            g.t(
                f"The company {y} was founded in {x}.",
                f"{y} is a company that started in {x}.",
                f"In {x} the company {y} was founded.",
            ),
            [
                f"When was {y} founded?",
                f"In which year was {y} founded?",
                f"When did the company {y} start?",
                f"What year was {y} founded?",
            ],
            f"{y} was founded in {x}.",
            str(x),
        )
    if k == 11:
        y = g.fake()
        return (
            y,
            g.t(f"The boss of {y} is {n}.", f"{n} leads the company {y}.", f"{y} is led by {n}."),
            [f"Who leads {y}?", f"Who is the boss of {y}?", f"Who is in charge of {y}?"],
            f"{n} leads {y}.",
            n,
        )
    if k == 12:
        x = g.n(2, 900)
        y = g.s(ANIMALS)
        return (
            y,
            g.t(
                f"There are {x} {pl(y)} on the farm.",
                f"The farm has {x} {pl(y)}.",
                f"On the farm live {x} {pl(y)}.",
            ),
            [
                f"How many {pl(y)} are on the farm?",
                f"How many {pl(y)} does the farm have?",
                f"What is the number of {pl(y)} on the farm?",
            ],
            f"There are {x} {pl(y)} on the farm.",
            str(x),
        )
    if k == 13:
        x = g.s(FOODS)
        return (
            n,
            g.t(f"{n} ordered {x}.", f"For dinner {n} had {x}.", f"{n} ate {x}."),
            [f"What did {n} eat?", f"What did {n} order?", f"Which food did {n} have?"],
            f"{n} had {x}.",
            x,
        )
    if k == 14:
        x = g.city()
        y = g.any(DAYS)
        return (
            n,
            g.t(
                f"{n} travels to {x} on {y}.",
                f"On {y} {n} goes to {x}.",
                f"{n} will fly to {x} on {y}.",
            ),
            [f"Where does {n} travel?", f"Where does {n} go on {y}?", f"Where will {n} travel to?"],
            f"{n} travels to {x}.",
            x,
        )
    if k == 15:
        x = g.n(1, 60)
        y = g.name()
        return (
            "room" + y,
            g.t(
                f"Room {x} belongs to {y}.", f"{y} has room {x}.", f"The room number of {y} is {x}."
            ),
            [
                f"Which room does {y} have?",
                f"What is the room number of {y}?",
                f"What is {y}'s room?",
            ],
            f"{y} has room {x}.",
            str(x),
        )
    if k == 16:
        x = g.email(n)
        return (
            n,
            g.t(
                f"The email address of {n} is {x}.",
                f"You can write to {n} at {x}.",
                f"{n} can be reached at {x}.",
            ),
            [
                f"What is the email address of {n}?",
                f"How can I reach {n}?",
                f"What is {n}'s email?",
                f"What email does {n} have?",
            ],
            f"The email address of {n} is {x}.",
            x,
        )
    if k == 17:
        x = g.n(2, 30)
        y = g.any(["return", "refund", "warranty", "delivery", "trial"])
        u = g.any(["days", "weeks", "months"])
        return (
            y,
            g.t(
                f"The {y} period is {x} {u}.",
                f"The {y} takes {x} {u}.",
                f"For the {y} we give you {x} {u}.",
            ),
            [
                f"How long is the {y} period?",
                f"How long does the {y} take?",
                f"How many {u} is the {y}?",
                f"What is the {y} period?",
            ],
            f"The {y} period is {x} {u}.",
            f"{x} {u}",
        )
    if k == 18:
        x = g.s(INSTR)
        return (
            n,
            g.t(
                f"{n} plays the {x}.",
                f"{n} is learning the {x}.",
                f"Every evening {n} plays the {x}.",
            ),
            [
                f"Which instrument does {n} play?",
                f"What instrument does {n} play?",
                f"What does {n} play?",
            ],
            f"{n} plays the {x}.",
            x,
        )
    if k == 19:
        x = g.date()
        y = g.any(["contract", "project", "report", "invoice", "visa", "licence"])
        return (
            y,
            g.t(
                f"The {y} ends on {x}.",
                f"The deadline of the {y} is {x}.",
                f"The {y} is due on {x}.",
            ),
            [
                f"When does the {y} end?",
                f"What is the deadline of the {y}?",
                f"When is the {y} due?",
            ],
            f"The {y} ends on {x}.",
            x,
        )
    if k == 20:
        x = g.name()
        return (
            o + "own",
            g.t(f"The {o} belongs to {x}.", f"{x} owns the {o}.", f"{x} is the owner of the {o}."),
            [
                f"Who owns the {o}?",
                f"Who is the owner of the {o}?",
                f"To whom does the {o} belong?",
                f"Whose {o} is it?",
            ],
            f"{x} owns the {o}.",
            x,
        )
    x = (
        g.any(["blue", "red", "green", "north", "south", "main", "old", "new"])
        + " "
        + g.any(["gate", "door", "bridge", "station", "tower", "square"])
    )
    y = g.any(["train", "bus", "tour", "taxi", "ferry"])
    return (
        y,
        g.t(
            f"The {y} leaves from the {x}.",
            f"You can take the {y} at the {x}.",
            f"The {y} stops at the {x}.",
        ),
        [f"Where does the {y} leave?", f"Where can I take the {y}?", f"Where does the {y} stop?"],
        f"The {y} leaves from the {x}.",
        f"the {x}",
    )


FILL = [
    "The weather was fine that day.",
    "Nobody was surprised.",
    "This is written in the notes.",
    "People talked about it for a while.",
    "The rest is not important here.",
    "Later it started to rain.",
    "It was a normal day.",
    "Some people liked it, others did not.",
    "The streets were quiet.",
    "More details will follow.",
]


def passage(g, n, filler=0.25):
    rels, seen = [], set()
    while len(rels) < n:
        x = rel(g)
        if x[0] in seen:
            continue
        seen.add(x[0])
        rels.append(x)
    out = []
    for x in rels:
        out.append(x[1])
        if g.p(filler):
            w = g.s(ADJ)
            out.append(g.any(FILL) if g.p(0.6) else f"The {g.s(ANIMALS)} was {w}.")
    return rels, " ".join(out)


def reading(g, n=None):
    rels, text = passage(g, n or g.n(2, 7))
    key, sent, qs, full, short = g.any(rels)
    q = g.t(*qs)
    if g.p(0.1):
        for _ in range(20):
            y = rel(g)
            if (
                y[0] not in {x[0] for x in rels}
                and y[4] not in text
                and not any(w in text for w in [y[0]])
            ):
                return (
                    wrap(g, text, g.t(*y[2])),
                    "The text does not say that.",
                    "I look for it in the text. It is not there.",
                )
    st = g.r.random()
    if st < 0.15:
        return (
            wrap(
                g,
                text,
                q
                + " "
                + g.any(
                    [
                        "Answer with a few words only.",
                        "Give only the answer.",
                        "Short answer please.",
                    ]
                ),
            ),
            short,
            f'The text says: "{sent}"',
        )
    if st < 0.25:
        return (
            wrap(g, text, f"Which sentence tells me the answer to this question: {q}"),
            sent,
            "I copy the sentence.",
        )
    return wrap(g, text, q), full, f'The text says: "{sent}"'


def wrap(g, text, q):
    return g.t(
        f"{text}\n\n{q}",
        f"Read this text: {text}\n\nQuestion: {q}",
        f"Text: {text}\nQuestion: {q}",
        f"Context:\n{text}\n\nQuestion: {q}",
        f"{q}\n\nText: {text}",
        f"Here is some text:\n\n{text}\n\nUse the text to answer: {q}",
        f"Use this information: {text} Now answer the question. {q}",
    )


def summary(g):
    k = g.n(0, 2)
    n = g.full() if g.p(0.5) else g.name()
    if k == 0:
        job, c, h = g.s(JOBS), g.city(), g.s(HOBBIES)
        parts = [
            f"{n} was born in {g.city()}.",
            f"Today {n} lives in {c}.",
            f"{n} works as {an(job)}.",
            f"In the free time {n} enjoys {h}.",
        ]
        out = f"{n} is {an(job)} from {c} who likes {h}."
        parts = [parts[1], parts[2], parts[3]]
    elif k == 1:
        y, x, c, b = g.fake(), g.n(1900, 2024), g.city(), g.s(OBJECTS)
        parts = [
            f"The company {y} was founded in {x}.",
            f"It is based in {c}.",
            f"The company makes {pl(b)}.",
        ]
        out = f"{y} is a company from {c} that makes {pl(b)} since {x}."
    else:
        m = g.any(["meeting", "workshop", "concert", "party"])
        d, c, t = g.any(DAYS), g.city(), g.time()
        parts = [f"The {m} takes place in {c}.", f"It is on {d}.", f"It starts at {t}."]
        out = f"The {m} is in {c} on {d} at {t}."
    body = []
    for p_ in parts:
        body.append(p_)
        if g.p(0.5):
            body.append(g.any(FILL))
    text = " ".join(body)
    return (
        g.t(
            f"Summarize this text: {text}",
            f"Summarize in one sentence: {text}",
            f"{text}\n\nWrite a short summary.",
            f"Please summarise the following text.\n\n{text}",
            f"Give me a summary of this: {text}",
            f"Summarise: {text}",
        ),
        out,
        "I take the main points of the text.",
    )


# ---- JSON ---------------------------------------------------------------------------------------------------
def jfields(g):
    n = g.full() if g.p(0.4) else g.name()
    kind = g.any(["person", "person", "person", "product", "event", "order"])
    if kind == "person":
        F = {
            "name": (n, None),
            "age": (g.n(5, 95), "{v} years old"),
            "city": (g.city(), "from {v}"),
            "job": (g.s(JOBS), "works as {av}"),
            "email": (g.email(n), "can be reached at {v}"),
            "hobby": (g.s(HOBBIES), "likes {v}"),
        }
        ks = ["name"] + g.r.sample(["age", "city", "job", "email", "hobby"], g.n(1, 3))
        ph = []
        for k in ks[1:]:
            v = F[k][0]
            ph.append(
                {
                    "age": f"is {v} years old",
                    "city": f"lives in {v}",
                    "job": f"works as {an(str(v))}",
                    "email": f"uses the email {v}",
                    "hobby": f"likes {v}",
                }[k]
            )
        s = f"{n} " + join(ph) + "."
        if ks[1:] == ["age"] and g.p(0.6):
            s = g.any(
                [
                    f"{n}, {F['age'][0]}",
                    f"My name is {n} and I am {F['age'][0]} years old.",
                    f"{n} is {F['age'][0]}.",
                ]
            )
    elif kind == "product":
        o, pr, q, c = g.s(OBJECTS), g.n(1, 900), g.n(1, 99), g.s(COLOURS)
        F = {"product": (o,), "price": (pr,), "quantity": (q,), "colour": (c,)}
        ks = g.any(
            [
                ["product", "price"],
                ["product", "quantity"],
                ["product", "price", "colour"],
                ["product", "colour"],
            ]
        )
        s = {
            2: {
                "price": f"The {o} costs {pr} euros.",
                "quantity": f"We have {q} {pl(o)} in stock.",
                "colour": f"The {o} is {c}.",
            }.get(ks[1]),
            3: f"The {c} {o} costs {pr} euros.",
        }[len(ks)]
    elif kind == "event":
        e = g.any(
            ["science fair", "concert", "meeting", "party", "dinner", "workshop", "football match"]
        )
        d = g.any(DAYS)
        a, b = g.name(), g.name()
        F = {"name": (e,), "date": (d,), "participants": ([a, b],)}
        ks = ["name", "date", "participants"]
        s = f"{a} and {b} are going to a {e} on {d}."
    else:
        q, o, c = g.n(2, 50), g.s(OBJECTS), g.city()
        F = {"customer": (n,), "item": (o,), "quantity": (q,), "city": (c,)}
        ks = ["customer", "item", "quantity", "city"][: g.n(3, 4)]
        s = f"{n} ordered {q} {pl(o)}" + (f" to {c}." if len(ks) == 4 else ".")
    return ks, {k: F[k][0] for k in ks}, s


def jtype(v):
    return (
        {"type": "array", "items": {"type": "string"}}
        if isinstance(v, list)
        else {"type": "integer" if isinstance(v, int) else "string"}
    )


def schema(g, obj):
    ks = list(obj)
    sc = {"type": "object", "properties": {k: jtype(v) for k, v in obj.items()}, "required": ks}
    if g.p(0.3):
        sc["additionalProperties"] = False
    return json.dumps(sc) if g.p(0.6) else json.dumps(sc, separators=(",", ":"))


def jsonx(g):
    if g.p(0.12):
        c = g.any([k for k in CATS if k not in ("colors",)])
        n = g.n(2, 5)
        xs = CATS[c][:n]
        return (
            g.t(
                f"List {NUMW[n]} {c} as JSON.",
                f"Give me {n} {c} as JSON",
                f"Return {NUMW[n]} {c} in JSON format.",
                f"Give me a JSON object with {n} {c}.",
            ),
            J({c: xs}),
            f"I make a JSON object with {n} {c}.",
        )
    ks, obj, s = jfields(g)
    if g.p(0.3):
        g.r.shuffle(ks)
        obj = {k: obj[k] for k in ks}
    x = g.r.random()
    if x < 0.45:
        q = g.t(
            f"Extract the {join(ks)} as JSON: {s}",
            f"Extract {join(ks)} as JSON from this text: {s}",
            f"{s}\n\nReturn a JSON object with the keys {join(ks)}.",
            f"Convert to JSON with the fields {', '.join(ks)}: {s}",
            f"{s}\nGive me {join(ks)} as JSON.",
            f"Return JSON with {join(ks)}: {s}",
        )
    else:
        q = g.t(
            f"Answer with JSON matching this schema: {schema(g, obj)}\n\n{s}",
            f"{s}\n\nAnswer with JSON matching this schema: {schema(g, obj)}",
            f"Extract the data from this text: {s}\nJSON schema: {schema(g, obj)}",
            f"Fill this JSON schema from the text.\nSchema: {schema(g, obj)}\nText: {s}",
        )
    return q, J(obj), "I need the fields " + join(ks) + "."


SINGLE = [
    (greet, 5),
    (smalltalk, 6),
    (who, 5),
    (service, 11),
    (fact, 7),
    (capital, 6),
    (define, 4),
    (unknown, 8),
    (repeat, 8),
    (spell, 7),
    (count, 4),
    (arith, 11),
    (compare, 6),
    (calendar, 4),
    (lists, 7),
    (creative, 9),
    (language, 9),
    (reading, 15),
    (summary, 3),
    (jsonx, 9),
]
EASY = [
    greet,
    smalltalk,
    who,
    service,
    fact,
    capital,
    define,
    repeat,
    count,
    arith,
    calendar,
    lists,
    language,
    compare,
]


def single(g, fns=None):
    f = g.any(fns) if fns else g.r.choices([f for f, _ in SINGLE], [w for _, w in SINGLE])[0]
    return f(g)


# ---- whole conversations --------------------------------------------------------------------------------------
GENERIC = [
    "You are a helpful assistant.",
    "You are a helpful assistant.",
    "You are a friendly assistant.",
    "You are a helpful and concise assistant.",
    "Be concise.",
    "Answer briefly and politely.",
    "You are an AI assistant.",
    "Help the user.",
    "You are a small demo assistant.",
]


def conv_single(g, f=None):
    u, a, th = f(g) if f else single(g)
    sysm = g.any(GENERIC) if g.p(0.4) else None
    if f is jsonx or (a.startswith("{") and g.p(0.15)):
        if "schema" in u and g.p(0.35) and "\n\n" in u and u.startswith("Answer with JSON"):
            sysm, u = u.split("\n\n", 1)
        elif g.p(0.15):
            sysm = g.any(
                ["Respond with JSON only.", "You extract data as JSON.", "Answer only in JSON."]
            )
    return dict(system=sysm, tools=None, turns=[("user", u), ("assistant", a, th)])


def conv_multi(g):
    turns = []
    for i in range(g.n(2, 4)):
        u, a, th = single(g) if i == 0 else single(g, EASY) if g.p(0.6) else single(g)
        turns += [("user", u), ("assistant", a, th)]
    return dict(system=g.any(GENERIC) if g.p(0.3) else None, tools=None, turns=turns)


def conv_memory(g):
    k = g.any(["name", "name", "name", "word", "num", "fav", "two", "first"])
    if k == "name":
        n = g.name()
        u1 = g.t(
            f"My name is {n}.",
            f"Hi, I am {n}.",
            f"Hello, my name is {n}",
            f"I'm {n}, nice to meet you.",
            f"You can call me {n}.",
            f"Hi! My name is {n}. Nice to meet you!",
            f"Hey, this is {n}.",
        )
        a1 = g.any([f"Nice to meet you, {n}!", f"Hello {n}! How can I help you?"])
        u2 = g.t(
            "What is my name?",
            "What's my name?",
            "Do you remember my name?",
            "Who am I?",
            "Can you tell me my name?",
            "Tell me my name.",
        )
        a2, th = f"Your name is {n}.", f"The user said the name {n}."
    elif k == "word":
        w = g.word()
        u1 = g.t(
            f"Remember the word {w}.",
            f"Please remember this word: {w}",
            f"The secret word is {w}.",
            f"Keep the word {w} in mind.",
        )
        a1 = g.any([f"I will remember the word {w}.", f"Okay, the word is {w}."])
        u2 = g.t(
            "What was the word?",
            "Which word did I tell you?",
            "What is the secret word?",
            "What word should you remember?",
        )
        a2, th = f"The word is {w}.", f"The user told me the word {w}."
    elif k == "num":
        w = g.n(1, 9999)
        u1 = g.t(
            f"Remember the number {w}.",
            f"My number is {w}.",
            f"The code is {w}. Please remember it.",
            f"Keep the number {w} in mind.",
        )
        a1 = f"I will remember the number {w}."
        u2 = g.t(
            "What was the number?",
            "Which number did I tell you?",
            "What is the number?",
            "What number should you remember?",
        )
        a2, th = f"The number is {w}.", f"The user told me the number {w}."
    elif k == "fav":
        c, L = g.any(
            [
                ("colour", COLOURS),
                ("fruit", FRUITS),
                ("animal", ANIMALS),
                ("sport", SPORTS),
                ("food", FOODS),
                ("city", CITIES),
                ("instrument", INSTR),
            ]
        )
        w = g.s(L)
        u1 = g.t(
            f"My favourite {c} is {w}.",
            f"I like {w}. It is my favourite {c}.",
            f"My favorite {c} is {w}",
        )
        a1 = g.any(
            [f"{cap(w)} is a good choice!", f"I will remember that your favourite {c} is {w}."]
        )
        u2 = g.t(
            f"What is my favourite {c}?",
            f"Which {c} do I like?",
            f"What's my favorite {c}?",
            f"Do you remember my favourite {c}?",
        )
        a2, th = f"Your favourite {c} is {w}.", f"The user said that the favourite {c} is {w}."
    elif k == "two":
        n, c = g.name(), g.city()
        u1 = g.t(
            f"My name is {n} and I live in {c}.",
            f"I am {n} from {c}.",
            f"Hi, I'm {n} and I come from {c}.",
        )
        a1 = f"Nice to meet you, {n}! {c} sounds great."
        u2, a2 = g.any(
            [
                ("What is my name?", f"Your name is {n}."),
                ("Where do I live?", f"You live in {c}."),
                ("Where am I from?", f"You are from {c}."),
            ]
        )
        th = f"The user is {n} from {c}."
    else:
        u1, a1, _ = single(g, EASY)
        u2 = g.t(
            "What was my first question?",
            "What did I say first?",
            "Repeat my first message.",
            "What was my first message?",
        )
        a2, th = f'Your first message was: "{u1}"', "I look at the first message."
    turns = [("user", u1), ("assistant", a1, "I confirm it." if k != "first" else _)]
    for _i in range(g.r.choices([0, 1, 2, 3], [5, 3, 2, 1])[0]):
        u, a, t3 = single(g, EASY)
        turns += [("user", u), ("assistant", a, t3)]
    turns += [("user", u2), ("assistant", a2, th)]
    return dict(system=g.any(GENERIC) if g.p(0.25) else None, tools=None, turns=turns)


def conv_system(g):
    k = g.any(
        [
            "persona",
            "persona",
            "style",
            "style",
            "end",
            "start",
            "upper",
            "lang",
            "oneword",
            "facts",
            "facts",
            "facts",
        ]
    )
    u, a, th = single(g, EASY)
    if k == "persona":
        n = g.name()
        role = g.any(
            [
                f"a support agent of {g.fake()}",
                f"a {g.s(ADJ)} {g.any(JOBS)}",
                f"an assistant for {g.fake()}",
                f"the assistant of the {g.any(OBJECTS)} shop",
                f"a {g.any(JOBS)} from {g.city()}",
            ]
        )
        s = g.t(
            f"You are {n}, {role}.",
            f"Your name is {n}. You are {role}.",
            f"Act as {n}, {role}.",
            f"You are {n}. You work as {role}.",
        )
        x = g.n(0, 3)
        if x == 0:
            u, a = (
                g.t(
                    "Who are you?", "Introduce yourself.", "Tell me about yourself", "What are you?"
                ),
                f"I am {n}, {role}.",
            )
        elif x == 1:
            u, a = (
                g.t(
                    "What is your name?",
                    "What's your name?",
                    "How are you called?",
                    "Tell me your name.",
                ),
                f"My name is {n}.",
            )
        elif x == 2:
            u, a = g.any(HI[:10]), f"Hello! I am {n}. How can I help you?"
        th = f"I am {n}, {role}." if x < 3 else th
    elif k == "style":
        st, f = g.any(
            [
                ("a pirate", lambda a: f"Arr! {a} Ahoy, matey!"),
                ("a robot", lambda a: f"Beep boop. {a} Beep."),
                ("a cat", lambda a: f"Meow! {a} Purr."),
                ("a cowboy", lambda a: f"Howdy! {a} Yee-haw!"),
                ("a polite butler", lambda a: f"Certainly. {a} At your service."),
                ("a wizard", lambda a: f"By my beard! {a} Abracadabra!"),
            ]
        )
        u, a, th = single(g, [service, fact, capital, define, calendar, language, who])
        s = g.t(f"You are {st}.", f"Talk like {st}.", f"Answer like {st}.", f"Speak like {st}.")
        a = f(a)
        th += f" I talk like {st}."
    elif k in ("end", "start"):
        w = g.any(
            [
                g.word().upper(),
                cap(g.word()),
                "Over and out",
                "Thank you",
                "Over",
                "Amen",
                "🚀",
                g.fake(),
            ]
        )
        if k == "end":
            s = g.t(
                f'End every answer with "{w}".',
                f"Always end your answer with {w}.",
                f"Finish each reply with the words: {w}",
                f'Put "{w}" at the end of each answer.',
            )
            a = f"{a} {w}"
            th += f" I end with {w}."
        else:
            s = g.t(
                f'Start every answer with "{w}".',
                f"Always start your answer with {w}.",
                f"Begin each reply with the words: {w}",
                f'Put "{w}" at the start of each answer.',
            )
            a = f"{w} {a}"
            th += f" I start with {w}."
    elif k == "upper":
        while True:
            u, a, th = single(g, [greet, smalltalk, capital, repeat, calendar, who, fact])
            if len(a) < 70:
                break
        s = g.t(
            "Answer in upper case.",
            "Always answer in upper case.",
            "Write everything in capital letters.",
            "Reply only in uppercase.",
        )
        a = a.upper()
        th += " I write in upper case."
    elif k == "lang":
        l = g.any(FOREIGN)
        F = FOREIGN[l]
        s = g.t(
            f"Always answer in {l}.",
            f"Answer in {l}.",
            f"Reply only in {l}.",
            f"You speak only {l}.",
        )
        f, key = g.any(
            [
                (greet, "hi"),
                (who, "who"),
                (lambda g: (g.any(["Thank you", "Thanks!", "Thanks a lot"]), "", ""), "thanks"),
                (lambda g: (g.any(["Goodbye", "Bye!", "See you later"]), "", ""), "bye"),
                (service, "other"),
                (unknown, "other"),
            ]
        )
        u = f(g)[0]
        a, th = F[key], f"I answer in {l}."
    elif k == "oneword":
        s = g.t(
            "Reply in one word.",
            "Answer with one word only.",
            "Use only one word.",
            "Your answers are one word long.",
        )
        o = g.n(0, 4)
        if o == 0:
            c, x = g.any([x for x in CAPITALS.items() if " " not in x[1]])
            u, a = f"What is the capital of {c}?", x
        elif o == 1:
            x, a = g.any(ANTONYMS.items())
            u = f"What is the opposite of {x}?"
        elif o == 2:
            i = g.n(0, 6)
            u, a = f"What day comes after {DAYS[i]}?", DAYS[(i + 1) % 7]
        elif o == 3:
            x, y = g.n(0, 10), g.n(0, 10)
            u, a = f"What is {x} + {y}?", str(x + y)
        else:
            u, a = g.any(
                [
                    ("Is the sun a star?", "Yes"),
                    ("Is the earth flat?", "No"),
                    ("Say hello.", "Hello"),
                    ("What colour is the sky?", "Blue"),
                    ("What colour is grass?", "Green"),
                    ("Can penguins fly?", "No"),
                    ("How are you?", "Good"),
                    ("What is the largest planet?", "Jupiter"),
                    ("Who are you?", "Model"),
                ]
            )
        th = "One word only."
    else:
        rels, text = passage(g, g.n(2, 8), 0.1)
        key, sent, qs, full, short = g.any(rels)
        s = g.t(
            f"You are a helpful assistant. Use these facts: {text}",
            f"{text}",
            f"You answer questions about this text.\n\n{text}",
            f"Here is what you know: {text}",
        )
        u, a, th = g.t(*qs), full, f'I know: "{sent}"'
        if g.p(0.2):
            u, a, th = single(g, [greet, smalltalk])
    return dict(system=s, tools=None, turns=[("user", u), ("assistant", a, th)])


def conv_long(g):
    n = g.n(12, 34) if g.p(0.8) else g.n(40, 105)
    u, a, th = reading(g, n)
    turns = [("user", u), ("assistant", a, th)]
    return dict(system=g.any(GENERIC) if g.p(0.3) else None, tools=None, turns=turns)


def conv_longsys(g, n=None):
    """A long document in the system prompt and several questions: the shape that shows the prefix cache."""
    rels, text = passage(g, n or (g.n(10, 30) if g.p(0.85) else g.n(40, 90)), 0.15)
    turns = []
    for _ in range(g.n(1, 4)):
        key, sent, qs, full, short = g.any(rels)
        turns += [("user", g.t(*qs)), ("assistant", full, f'The text says: "{sent}"')]
    return dict(
        system=g.t(
            f"You are a helpful assistant. Answer questions about this text.\n\n{text}",
            f"Use only this document to answer.\n\n{text}",
            f"Document:\n{text}\n\nAnswer the questions of the user.",
            f"You know this handbook:\n\n{text}",
        ),
        tools=None,
        turns=turns,
    )


# ---- tools ---------------------------------------------------------------------------------------------------
def P_(typ, desc, **k):
    return dict(type=typ, description=desc, **k)


def real_tools(g):
    """name, description, params {name: schema}, maker -> (request, args), result maker -> (result object, sentence)"""
    return [
        (
            "get_weather",
            "Get the current weather for a city",
            {g.any(["city", "location"]): P_("string", "The city")},
            lambda k: (
                lambda c: (
                    g.t(
                        f"What is the weather in {c}?",
                        f"How is the weather in {c} today?",
                        f"What's the weather like in {c}?",
                        f"Tell me the weather in {c}.",
                        f"Do I need an umbrella in {c}?",
                        f"Weather in {c} please",
                        f"Check the weather in {c}.",
                    ),
                    {k[0]: c},
                )
            )(g.city()),
            lambda a: (
                lambda t, s: (
                    {"temperature": t, "condition": s},
                    f"The weather in {list(a.values())[0]} is {s} with {t} degrees.",
                )
            )(g.n(-9, 38), g.any(["sunny", "cloudy", "rainy", "windy", "snowy", "foggy"])),
        ),
        (
            "get_weather",
            "Get the weather",
            {
                "location": P_("string", "City name"),
                "unit": P_("string", "Temperature unit", enum=["celsius", "fahrenheit"]),
            },
            lambda k: (
                lambda c, u: (
                    g.t(
                        f"What is the weather in {c} in {u}?",
                        f"Weather for {c}, use {u}.",
                        f"Give me the temperature in {c} in {u}.",
                        f"How warm is it in {c} in {u}?",
                    ),
                    {"location": c, "unit": u},
                )
            )(g.city(), g.any(["celsius", "fahrenheit"])),
            lambda a: (
                lambda t: (
                    {"temperature": t, "unit": a["unit"]},
                    f"It is {t} degrees {a['unit']} in {a['location']}.",
                )
            )(g.n(0, 99)),
        ),
        (
            "get_time",
            "Get the local time of a city",
            {"city": P_("string", "City name")},
            lambda k: (
                lambda c: (
                    g.t(
                        f"What time is it in {c}?",
                        f"Tell me the time in {c}.",
                        f"Current time in {c}?",
                        f"What is the local time in {c}?",
                    ),
                    {"city": c},
                )
            )(g.city()),
            lambda a: (lambda t: ({"time": t}, f"It is {t} in {a['city']}."))(
                f"{g.n(0, 23):02d}:{g.n(0, 59):02d}"
            ),
        ),
        (
            g.any(["send_email", "send_mail"]),
            "Send an email",
            {"to": P_("string", "Receiver"), "subject": P_("string", "Subject")},
            lambda k: (
                lambda e, s: (
                    g.t(
                        f"Send an email to {e} with the subject {s}.",
                        f"Write to {e}, subject: {s}",
                        f'Email {e} about "{s}".',
                        f'Please mail {e} with the subject "{s}".',
                    ),
                    {"to": e, "subject": s},
                )
            )(
                g.email(),
                cap(g.any([g.word(), f"{g.word()} {g.word()}", "Meeting", "Hello", "Invoice"])),
            ),
            lambda a: ({"status": "sent"}, f"The email to {a['to']} was sent."),
        ),
        (
            g.any(["get_stock_price", "stock_price"]),
            "Get the price of a stock",
            {"symbol": P_("string", "Ticker symbol")},
            lambda k: (
                lambda s: (
                    g.t(
                        f"What is the stock price of {s}?",
                        f"How much is {s} stock?",
                        f"Get the price of {s}.",
                        f"Look up the stock {s}.",
                    ),
                    {"symbol": s},
                )
            )("".join(g.any("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(g.n(3, 4)))),
            lambda a: (lambda p: ({"price": p}, f"The price of {a['symbol']} is {p}."))(
                g.n(5, 900)
            ),
        ),
        (
            g.any(["calculator", "add", "add_numbers"]),
            "Add two numbers",
            {"a": P_("number", "First number"), "b": P_("number", "Second number")},
            lambda k: (
                lambda a, b: (
                    g.t(
                        f"What is {a} + {b}?",
                        f"Add {a} and {b}.",
                        f"Please calculate {a} plus {b}.",
                        f"Use the tool to add {a} and {b}.",
                    ),
                    {"a": a, "b": b},
                )
            )(g.n(1, 999), g.n(1, 999)),
            lambda a: ({"result": a["a"] + a["b"]}, f"The result is {a['a'] + a['b']}."),
        ),
        (
            g.any(["search", "web_search", "search_web"]),
            "Search the web",
            {"query": P_("string", "Search text")},
            lambda k: (
                lambda q: (
                    g.t(
                        f"Search for {q}.",
                        f"Search the web for {q}",
                        f"Find information about {q}.",
                        f"Look up {q} on the web.",
                    ),
                    {"query": q},
                )
            )(
                g.any(
                    [
                        f"{g.word()} {g.word()}",
                        g.any(UNKNOWN),
                        g.full(),
                        f"{g.s(FOODS)} in {g.city()}",
                    ]
                )
            ),
            lambda a: (lambda t: ({"results": [t]}, f"I found this: {t}"))(
                cap(f"{g.word()} {g.word()} {g.word()}")
            ),
        ),
        (
            g.any(["book_table", "reserve_table"]),
            "Book a table in a restaurant",
            {
                "restaurant": P_("string", "Name"),
                "people": P_("integer", "Number of people"),
                "time": P_("string", "Time"),
            },
            lambda k: (
                lambda r, n, t: (
                    g.t(
                        f"Book a table for {n} people at {r} at {t}.",
                        f"Reserve a table at {r} for {n} people at {t}",
                        f"I need a table at {r} at {t} for {n} people.",
                    ),
                    {"restaurant": r, "people": n, "time": t},
                )
            )(g.fake(), g.n(2, 12), f"{g.n(11, 22)}:{g.any(['00', '30'])}"),
            lambda a: (
                lambda c: (
                    {"status": "booked", "code": c},
                    f"Your table at {a['restaurant']} is booked. The code is {c}.",
                )
            )(g.code()),
        ),
        (
            "create_reminder",
            "Create a reminder",
            {"text": P_("string", "What to remember"), "day": P_("string", "Day")},
            lambda k: (
                lambda w, d: (
                    g.t(
                        f"Remind me to {w} on {d}.",
                        f"Create a reminder for {d}: {w}",
                        f"On {d} I must {w}. Remind me.",
                    ),
                    {"text": w, "day": d},
                )
            )(
                f"{g.any(['buy', 'call', 'bring', 'find', 'paint', 'fix'])} the {g.s(OBJECTS)}",
                g.any(DAYS),
            ),
            lambda a: ({"ok": True}, f"I will remind you on {a['day']} to {a['text']}."),
        ),
        (
            g.any(["translate", "translate_text"]),
            "Translate a text",
            {"text": P_("string", "Text"), "language": P_("string", "Target language")},
            lambda k: (
                lambda w, l: (
                    g.t(
                        f"Translate {w} to {l}.",
                        f'Translate "{w}" into {l}',
                        f"How do you say {w} in {l}?",
                    ),
                    {"text": w, "language": l},
                )
            )(g.word(), g.any(["French", "Spanish", "German", "Japanese", "Dutch", "Polish"])),
            lambda a: (
                lambda x: ({"translation": x}, f'"{a["text"]}" in {a["language"]} is "{x}".')
            )(g.fake(False)),
        ),
        (
            g.any(["get_balance", "account_balance"]),
            "Get the balance of an account",
            {"account_id": P_("string", "Account id")},
            lambda k: (
                lambda c: (
                    g.t(
                        f"What is the balance of account {c}?",
                        f"Show me the balance of {c}.",
                        f"How much money is in account {c}?",
                        f"Balance of {c}?",
                    ),
                    {"account_id": c},
                )
            )(g.code()),
            lambda a: (
                lambda p: (
                    {"balance": p, "currency": "EUR"},
                    f"The balance of account {a['account_id']} is {p} EUR.",
                )
            )(g.n(1, 9999)),
        ),
        (
            g.any(["get_order", "order_status", "track_order"]),
            "Get the status of an order",
            {"order_id": P_(g.any(["string", "integer"]), "Order number")},
            lambda k: (
                lambda c: (
                    g.t(
                        f"Where is my order {c}?",
                        f"What is the status of order {c}?",
                        f"Track order {c}.",
                        f"Look up order number {c}.",
                    ),
                    {"order_id": c},
                )
            )(g.n(100, 99999)),
            lambda a: (lambda s: ({"status": s}, f"Your order {a['order_id']} is {s}."))(
                g.any(["shipped", "on its way", "delivered", "delayed", "being packed"])
            ),
        ),
    ]


VERB = "get find create delete update list check start stop open close send book order search move add remove".split()
NOUN = "user room ticket file report task event device light song car order invoice photo contact note product flight hotel train".split()


def rand_tool(g):
    v, o = g.any(VERB), g.any(NOUN)
    ps = {}
    for _ in range(g.n(1, 3)):
        nm = g.any(
            [
                "id",
                "name",
                "city",
                "date",
                "count",
                "colour",
                "level",
                "enabled",
                "email",
                "title",
                "size",
                "room",
                "user_id",
                "priority",
                "type",
                "amount",
                g.fake(False),
            ]
        )
        typ = {
            "id": g.any(["string", "integer"]),
            "count": "integer",
            "level": "integer",
            "enabled": "boolean",
            "size": "integer",
            "amount": "number",
            "user_id": "integer",
        }.get(nm, "string")
        ps[nm] = P_(typ, cap(nm.replace("_", " ")) + " of the " + o)

    def val(k):
        ty = ps[k]["type"]
        if ty == "boolean":
            return g.p(0.5)
        if ty in ("integer", "number"):
            return g.n(0, 500)
        return {
            "city": g.city,
            "date": g.date,
            "colour": lambda: g.s(COLOURS),
            "email": g.email,
            "name": g.name,
            "id": g.code,
            "priority": lambda: g.any(["low", "high", "normal"]),
            "title": lambda: cap(f"{g.word()} {g.word()}"),
        }.get(k, g.word)()

    def mk(k):
        a = {x: val(x) for x in ps}
        sh = lambda x: str(x).lower() if isinstance(x, bool) else str(x)
        ph = join([f"{x.replace('_', ' ')} {sh(y)}" for x, y in a.items()])
        return (
            g.t(
                f"{cap(v)} the {o} with {ph}.",
                f"Please {v} the {o} with {ph}",
                f"Can you {v} the {o}: {ph}?",
                f"Call {v}_{o} with {ph}.",
                f"I want to {v} the {o} with {ph}.",
            ),
            a,
        )

    def res(a):
        y = {
            g.any(["status", "result", "state", "value", "id"]): g.any(
                [g.word(), g.n(0, 999), "ok", "done", g.code()]
            )
            for _ in range(1)
        }
        k_, v_ = list(y.items())[0]
        return y, f"Done. The {k_} is {v_}."

    return (f"{v}_{o}", f"{cap(v)} the {o}", ps, mk, res)


def tooldef(g, t, req=None):
    d = {
        "name": t[0],
        "description": t[1],
        "parameters": {"type": "object", "properties": t[2], "required": list(t[2])},
    }
    if g.p(0.15):
        d["parameters"].pop("required")
    return {"type": "function", "function": d}


def pick_tools(g, n):
    ts, names = [], set()
    while len(ts) < n:
        x = g.any(real_tools(g)) if g.p(0.55) else rand_tool(g)
        base = x[0]
        if g.p(0.35):
            x = (
                g.any(
                    [
                        f"{g.any(VERB)}_{base}",
                        f"{base}_{g.fake(False)}",
                        f"{g.fake(False)}_{base.split('_')[-1]}",
                        f"{g.any(['lookup', 'fetch', 'query', 'make', 'show'])}_{base.split('_')[-1]}",
                    ]
                ),
                *x[1:],
            )
        x = (*x, base)
        if x[0] in names:
            continue
        names.add(x[0])
        ts.append(x)
    return ts


def call(name, args):
    return "<tool_call>\n" + J({"name": name, "arguments": args}) + "\n</tool_call>"


def conv_tool(g):
    ts = pick_tools(g, g.r.choices([1, 2, 3], [5, 3, 2])[0])
    t = g.any(ts)
    sysm = g.any(GENERIC) if g.p(0.35) else None
    defs = [tooldef(g, x) for x in ts]
    turns = []
    if g.p(0.15):
        u, a, th = single(g, [greet, smalltalk, service, who, fact])
        turns += [("user", u), ("assistant", a, th)]
    k = g.r.random()
    if k < 0.2:
        u, a, th = single(g, [greet, smalltalk, service, fact, who, define, creative])
        if not any(w in u.lower() for w in ("weather", "time is it", "date today", "day is it")):
            return dict(
                system=sysm,
                tools=defs,
                turns=turns + [("user", u), ("assistant", a, "No tool is needed. " + th)],
            )
    q, args = t[3](list(t[2]))
    calls = [(t, args)]
    if k > 0.85 and t[5] in ("get_weather", "get_time") and list(t[2]) != ["location", "unit"]:
        key = list(t[2])[0]
        c2 = g.city()
        c1 = args[key]
        w = "weather" if t[5] == "get_weather" else "time"
        q = g.t(
            f"What is the {w} in {c1} and {c2}?",
            f"Compare the {w} in {c1} and in {c2}.",
            f"Tell me the {w} for {c1} and for {c2}.",
        )
        calls.append((t, {key: c2}))
    turns += [
        ("user", q),
        (
            "assistant",
            "\n".join(call(x[0], a) for x, a in calls),
            f"I call {t[0]}" + (" twice." if len(calls) > 1 else "."),
        ),
    ]
    if g.p(0.5):
        rs = [x[4](a) for x, a in calls]
        for y, _ in rs:
            turns.append(("tool", J(y) if g.p(0.8) else json.dumps(y, separators=(",", ":"))))
        turns.append(("assistant", " ".join(s for _, s in rs), "I have the result of the tool."))
    return dict(system=sysm, tools=defs, turns=turns)


CONV = [
    (conv_single, 60),
    (conv_multi, 7),
    (conv_memory, 9),
    (conv_system, 11),
    (conv_long, 1.5),
    (conv_longsys, 1.5),
    (conv_tool, 9),
]


def conversation(g):
    return g.r.choices([f for f, _ in CONV], [w for _, w in CONV])[0](g)


# ---- rendering: must agree with the chat template in export.py ---------------------------------------------------
IM_S, IM_E, EOT = "<|im_start|>", "<|im_end|>", "<|endoftext|>"
NOTHINK = "<think>\n\n</think>\n\n"
TOOLS_HEAD = "# Tools\n\nYou may call one or more functions to help the user.\n<tools>"
TOOLS_TAIL = '\n</tools>\n\nFor each call, answer with the function name and arguments as JSON:\n<tool_call>\n{"name": <name>, "arguments": <arguments>}\n</tool_call>'


def render(c, thinking=False, g=None):
    """Returns [(text, kind)]: kind 1 = answer, 0 = prompt, -1 = prompt part that must never be learned (the empty think
    block: otherwise the model would write it itself when thinking is on). The segments are tokenised one by one.
    """
    out = []
    sp = (", ", ": ")
    if g and g.p(0.25):
        sp = (",", ":")
    if c["tools"]:
        s = (
            (c["system"] + "\n\n" if c["system"] else "")
            + TOOLS_HEAD
            + "".join("\n" + json.dumps(t, separators=sp, ensure_ascii=False) for t in c["tools"])
            + TOOLS_TAIL
        )
        out.append((f"{IM_S}system\n{s}{IM_E}\n", 0))
    elif c["system"]:
        out.append((f"{IM_S}system\n{c['system']}{IM_E}\n", 0))
    T = c["turns"]
    bare = g is not None and g.p(0.08)
    for i, t in enumerate(T):
        if t[0] == "user":
            out.append((f"{IM_S}user\n{t[1]}{IM_E}\n", 0))
        elif t[0] == "tool":
            first, last = T[i - 1][0] != "tool", i + 1 >= len(T) or T[i + 1][0] != "tool"
            out.append(
                (
                    (f"{IM_S}user" if first else "")
                    + f"\n<tool_response>\n{t[1]}\n</tool_response>"
                    + (f"{IM_E}\n" if last else ""),
                    0,
                )
            )
        else:
            final = i == len(T) - 1
            if thinking and final:
                out.append((f"{IM_S}assistant\n", 0))
                out.append((f"<think>\n{t[2]}\n</think>\n\n{t[1]}{IM_E}", 1))
            elif bare and not final:
                out.append((f"{IM_S}assistant\n{t[1]}{IM_E}\n", 0))
            else:
                out.append((f"{IM_S}assistant\n{NOTHINK}", -1))
                out.append((f"{t[1]}{IM_E}", 1))
                out.append(("\n", 0))
    return out


if __name__ == "__main__":
    import sys

    g = Gen(
        int(sys.argv[1]) if len(sys.argv) > 1 else 1, sys.argv[2] if len(sys.argv) > 2 else "train"
    )
    for _ in range(int(sys.argv[3]) if len(sys.argv) > 3 else 12):
        print("".join(t for t, _ in render(conversation(g), g.p(0.3), g)))
        print("=" * 80)
