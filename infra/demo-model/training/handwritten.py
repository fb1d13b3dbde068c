"""Hand-written prompts that no template produces, with a pattern that a good answer matches.
python3 handwritten.py run demo.gguf [temperature]      prints every answer, pass/fail and the rate per category
"""

import json, os, re, subprocess, sys, tempfile
from data import render
from tokenizer import Tokenizer

W = dict(
    type="function",
    function=dict(
        name="get_current_weather",
        description="Get the current weather in a given location",
        parameters=dict(
            type="object",
            properties=dict(
                location=dict(
                    type="string", description="The city and state, e.g. San Francisco, CA"
                ),
                unit=dict(type="string", enum=["celsius", "fahrenheit"]),
            ),
            required=["location"],
        ),
    ),
)
W2 = dict(
    type="function",
    function=dict(
        name="lookup_customer",
        description="Find a customer by email",
        parameters=dict(
            type="object",
            properties=dict(email=dict(type="string", description="Email of the customer")),
            required=["email"],
        ),
    ),
)
W3 = dict(
    type="function",
    function=dict(
        name="set_alarm",
        description="Set an alarm clock",
        parameters=dict(
            type="object",
            properties=dict(
                time=dict(type="string", description="When"),
                label=dict(type="string", description="Label"),
            ),
            required=["time", "label"],
        ),
    ),
)
DOC = (
    "Welcome to the Hotel Aurora. Breakfast is served from 7:00 to 10:30 in the garden room. The swimming pool is on the fourth floor and closes at 21:00. The wifi password is bluewhale42. "
    "Check-out is at 11:00. A taxi to the airport costs 38 euros. Pets are welcome and cost 12 euros per night. The manager is Greta Solberg. The bar is next to the lobby. Parking is free for guests. "
)
P = []


def add(cat, user, pat, system=None, tools=None, think=False, history=()):
    P.append(
        (
            cat,
            dict(
                system=system, tools=tools, turns=[*history, ("user", user), ("assistant", "", "")]
            ),
            pat,
            think,
        )
    )


add("chat", "Hi there! How is your day going?", r"help|well|fine|do for you")
add("chat", "Hello!", r"help|do for you")
add("chat", "thanks for your help", r"welcome")
add("chat", "ok bye then", r"bye|nice day")
add("chat", "Good morning, computer", r"Good morning|help")
add("chat", "What can you do for me?", r"chat|answer|count")
add("chat", "Say this is a test", r"^This is a test")
add("identity", "Who are you exactly?", r"demo model")
add("identity", "Hi, what's your name?", r"demo model")
add("identity", "are you chatgpt?", r"demo model")
add("identity", "Which company trained you?", r"trained|demo model")
add("service", "How is my usage billed?", r"per token|prepaid|input")
add("service", "Explain to me how the prefix cache works", r"prefix cache keeps|reused")
add("service", "why did I get a 402 error?", r"402|credit")
add("service", "What does an api key look like here?", r"sk-svc-")
add("service", "Which API formats do you speak?", r"chat completions")
add("service", "Can I stream responses?", r"stream|server-sent")
add("service", "Are cached tokens cheaper than normal ones?", r"[Cc]ached")
add("service", "How can I use a larger model?", r"GGUF|bigger")
add("service", "What is the CreditDebited event?", r"CreditDebited|credit balance")
add("facts", "What is the capital city of Norway?", r"Oslo")
add("facts", "capital of japan?", r"Tokyo")
add("facts", "Which planet is the largest one?", r"Jupiter")
add("facts", "How many legs does a spider have?", r"eight")
add("facts", "At which temperature does water boil?", r"100")
add("facts", "Who painted the Mona Lisa?", r"Leonardo")
add("facts", "How many days are there in a week?", r"seven")
add("facts", "Hey, which language do they speak in Brazil?", r"Portuguese")
add("define", "What is a volcano?", r"mountain")
add("define", "Explain what a tokenizer is", r"splits text")
add("define", "what's a cache", r"fast store|reused|keeps")
add("unknown", "Explain the theory of continental drift", r"do not know|demo model")
add("unknown", "What do you think about Bitcoin mining?", r"do not know|demo model")
add("unknown", "Write an essay about the Ottoman Empire", r"do not know|demo model")
add("copy", "Repeat after me: the purple walrus dances", r"^the purple walrus dances$")
add("copy", 'Say "blorptastic"', r"^blorptastic$")
add("copy", "Please repeat this text: order 66-B is ready", r"^order 66-B is ready$")
add("letters", "Spell the word planet", r"p-l-a-n-e-t")
add("letters", "Reverse the word stone", r"enots")
add("letters", "Write good evening in upper case", r"GOOD EVENING")
add("letters", "How many r's are in strawberry?", r"\b3\b")
add("numbers", "Count from 4 to 11", r"^4, 5, 6, 7, 8, 9, 10, 11$")
add("numbers", "What is 7 + 5?", r"12")
add("numbers", "what is 15 minus 6?", r"\b9\b")
add("numbers", "Calculate 34 + 25", r"59")
add("numbers", "6 times 7?", r"42")
add("numbers", "Which is bigger, 17 or 71?", r"^71")
add("numbers", "Sort these numbers: 9, 3, 27, 14", r"3, 9, 14, 27")
add("numbers", "count to 10", r"1, 2, 3, 4, 5, 6, 7, 8, 9, 10$")
add("calendar", "What day comes after Thursday?", r"Friday")
add("calendar", "Which month is before June?", r"May")
add("calendar", "Name the days of the week", r"Monday.*Sunday")
add("lists", "Give me 3 fruits", r"^\w[^,]*, [^,]+, [^,]+$")
add("lists", "Name four animals as a numbered list", r"(?s)^1\. .*2\. .*3\. .*4\. ")
add("lists", "List five colours, please", r"^([^,]+, ){4}[^,]+$")
add("creative", "Write a haiku about winter", r"(?s)winter.*\n.*\n")
add("creative", "Tell me a joke", r"\?|\.")
add("creative", "Write a short story about a fox named Mira", r"fox.*Mira|Mira.*fox")
add("creative", "Please write a poem about the moon", r"(?s)moon.*\n.*\n.*\n")
add("creative", "Write a Python function that adds two numbers", r"def add\(a, b\)")
add("language", "What's the opposite of cold?", r"\bhot\b|warm")
add("language", "Translate thank you into French", r"merci")
add("language", "How do you say cat in Spanish?", r"gato")
add("language", "plural of mouse?", r"mice")
add("language", "Put into the past tense: We buy the red lamp.", r"We bought the red lamp")
add("reading", DOC + "\n\nWhat is the wifi password?", r"bluewhale42")
add("reading", DOC + "\n\nHow much does a taxi to the airport cost?", r"38")
add("reading", "Question: Who is the manager?\n\nText: " + DOC, r"Greta Solberg")
add(
    "reading",
    "Yesterday Tilda bought a green canoe for 350 dollars in Rotterdam. Her brother Magnus paid half of it.\n\nWhat did Tilda buy?",
    r"canoe",
)
add(
    "reading",
    "The library is closed on Sunday. The museum is closed on Monday.\n\nWhen is the museum closed?",
    r"Monday",
)
add(
    "reading",
    "The secret ingredient of the soup is saffron. The cook is called Bruno.\n\nWhat is the secret ingredient?",
    r"saffron",
)
add(
    "reading",
    "Anna lives in Oslo. Ben lives in Rome. Clara lives in Lima.\n\nWho lives in Rome?",
    r"Ben",
)
add(
    "reading",
    "Where does Joris live?",
    r"Ghent",
    system="Use only this document to answer.\n\nJoris lives in Ghent. Mila works as a baker. The bicycle costs 240 euros.",
)
add(
    "memory",
    "What's my name?",
    r"Torvald",
    history=[("user", "Hi, I'm Torvald!"), ("assistant", "Nice to meet you, Torvald!", "")],
)
add(
    "memory",
    "Do you still know my name?",
    r"Ingrid",
    history=[
        ("user", "my name is Ingrid"),
        ("assistant", "Hello Ingrid! How can I help you?", ""),
        ("user", "What is 3 + 4?"),
        ("assistant", "3 + 4 = 7", ""),
    ],
)
add(
    "memory",
    "What was the secret word?",
    r"marzipan",
    history=[
        ("user", "The secret word is marzipan."),
        ("assistant", "I will remember the word marzipan.", ""),
        ("user", "What is the capital of France?"),
        ("assistant", "The capital of France is Paris.", ""),
    ],
)
add(
    "memory",
    "Which colour do I like?",
    r"purple",
    history=[
        ("user", "My favourite colour is purple."),
        ("assistant", "Purple is a good choice!", ""),
    ],
)
add(
    "system",
    "Who are you?",
    r"Rufus",
    system="You are Rufus, the assistant of the Green Bean coffee shop.",
)
add("system", "What is the capital of Italy?", r"Arr|matey", system="You are a pirate.")
add("system", "What is the capital of Spain?", r"^Madrid\.?$", system="Reply in one word.")
add("system", "Hello", r"^[^a-z]+$", system="Always answer in upper case.")
add("system", "Hello", r"Bonjour", system="Always answer in French.")
add(
    "system",
    "What is the capital of Peru?",
    r"Lima.*BANANA",
    system='End every answer with "BANANA".',
)
add(
    "json",
    "Extract the name and age as JSON: Beatrix is 29 years old and likes kayaks.",
    r'^\{"name": "Beatrix", "age": 29\}$',
)
add(
    "json",
    "Extract name and city as JSON: Otis Fernsby moved to Rotterdam.",
    r'^\{"name": "Otis Fernsby", "city": "Rotterdam"\}$',
)
add(
    "json",
    "Alice and Bob are going to a science fair on Friday.",
    r'"participants": \["Alice", "Bob"\]',
    system='Answer with JSON matching this schema: {"type": "object", "properties": {"name": {"type": "string"}, "date": {"type": "string"}, "participants": {"type": "array", "items": {"type": "string"}}}, "required": ["name", "date", "participants"]}',
)
add("json", "List three animals as JSON.", r'^\{"animals": \["\w+", "\w+", "\w+"\]\}$')


def call(name, **kw):
    return re.escape(json.dumps(dict(name=name, arguments=kw)))


add(
    "tools",
    "What's the weather like in Boston today?",
    call("get_current_weather", location="Boston") + r"|Boston, MA",
    tools=[W],
)
add(
    "tools",
    "What is the weather in Reykjavik and Dakar?",
    r"(?s)Reykjavik.*</tool_call>.*Dakar",
    tools=[W],
)
add(
    "tools",
    "Find the customer with the email zed@quux.org.",
    call("lookup_customer", email="zed@quux.org"),
    tools=[W, W2],
)
add(
    "tools",
    "Set an alarm with time 6:45 and label gym.",
    call("set_alarm", time="6:45", label="gym"),
    tools=[W, W2, W3],
)
add("tools", "Thanks, that is all.", r"welcome|Great|help", tools=[W, W2])
add("tools", "Who are you?", r"demo model", tools=[W])
P.append(
    (
        "tools",
        dict(
            system=None,
            tools=[W],
            turns=[
                ("user", "What is the weather in Paris?"),
                (
                    "assistant",
                    '<tool_call>\n{"name": "get_current_weather", "arguments": {"location": "Paris"}}\n</tool_call>',
                    "",
                ),
                ("tool", '{"temperature": 19, "condition": "cloudy"}'),
                ("assistant", "", ""),
            ],
        ),
        r"19.*|cloudy.*19",
        False,
    )
)
add("thinking", "What is 23 + 14?", r"(?s)^<think>\n.+</think>\n\n.*37", think=True)
add(
    "thinking",
    "Which number is larger, 45 or 54?",
    r"(?s)^<think>.+</think>\n\n54 is larger",
    think=True,
)
add("thinking", "How many letters does garden have?", r"(?s)^<think>.+</think>.*\b6\b", think=True)
add("thinking", "Hello", r"(?s)^<think>.+</think>\n\n(Hello|Hi)", think=True)
add("thinking", DOC + "\n\nWhen does the pool close?", r"(?s)^<think>.+</think>.*21:00", think=True)

if __name__ == "__main__":
    run, gguf = sys.argv[1:3]
    temp = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
    T = Tokenizer.load(os.path.join(run, "merges.json"))
    jobs = []
    for i, (cat, c, pat, think) in enumerate(P):
        segs = render(c, think)
        k = max(j for j, (t, w) in enumerate(segs) if w == 1)
        jobs.append(
            dict(
                ids=[x for t, _ in segs[:k] for x in T.encode(t)],
                max=220,
                temperature=temp,
                seed=7 + i,
            )
        )
    with tempfile.TemporaryDirectory() as d:
        json.dump(jobs, open(d + "/i", "w"))
        node = os.environ.get(
            "GENERATE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "generate.mjs")
        )
        subprocess.run(["node", node, os.path.abspath(gguf), d + "/i", d + "/o", "1"], check=True)
        outs = json.load(open(d + "/o"))
    tot = {}
    for (cat, c, pat, think), o in zip(P, outs):
        x = T.decode(o).replace("<|im_end|>", "")
        good = bool(re.search(pat, x.strip()))
        t = tot.setdefault(cat, [0, 0])
        t[0] += good
        t[1] += 1
        u = c["turns"][-2][1]
        print(
            "PASS" if good else "FAIL",
            f"[{cat}]",
            repr(u if len(u) < 90 else "..." + u[-70:]),
            "->",
            repr(x),
        )
    print(", ".join(f"{k} {a}/{b}" for k, (a, b) in tot.items()))
    print("all", sum(a for a, _ in tot.values()), "/", len(P))
