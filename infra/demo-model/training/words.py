"""Word tables used by data.py. Everything here was written for this generator."""


def S(s):
    return [x.strip() for x in s.replace("\n", "|").split("|") if x.strip()]


def M(s):
    return dict(tuple(p.strip() for p in x.split("=", 1)) for x in S(s))


NAMES = S(
    """Anna|Ben|Clara|David|Emma|Felix|Grace|Henry|Iris|Jack|Kate|Leo|Maria|Noah|Olivia|Paul|Quinn|Rosa|Sam|Tina|Uma|Victor|Wendy
Xavier|Yara|Zoe|Alice|Bob|Carol|Dan|Eva|Frank|Gina|Hugo|Ivan|Julia|Karl|Lena|Max|Nina|Oscar|Petra|Ravi|Sara|Tom|Ursula|Vera|Will|Ximena
Yusuf|Zara|Aisha|Boris|Chen|Dina|Elena|Farid|Greta|Hana|Igor|Jonas|Kenji|Lucy|Mia|Nora|Omar|Priya|Rita|Simon|Tara|Lukas|Marco|Mateo
Sofia|Amir|Bella|Carlos|Daria|Ethan|Fiona|George|Helen|Isaac|Jane|Kim|Liam|Mona|Nick|Otto|Peter|Rachel|Steve|Theo|Ulf|Vivian|Walter|Ada|Alan|Linus"""
)
SURNAMES = S(
    "Smith|Miller|Brown|Garcia|Novak|Rossi|Weber|Larsen|Kim|Tanaka|Silva|Dubois|Kowalski|Ivanova|Ahmed|Patel|Jones|Clark|Moreno|Berg|Fischer|Okafor|Haddad|Lind|Marsh|Stone|Reed|Cole|Lovelace|Turing"
)
CAPITALS = M(
    """France=Paris|Germany=Berlin|Italy=Rome|Spain=Madrid|Portugal=Lisbon|Austria=Vienna|Switzerland=Bern|Belgium=Brussels|the Netherlands=Amsterdam
Denmark=Copenhagen|Sweden=Stockholm|Norway=Oslo|Finland=Helsinki|Iceland=Reykjavik|Ireland=Dublin|the United Kingdom=London|England=London|Poland=Warsaw|the Czech Republic=Prague
Slovakia=Bratislava|Hungary=Budapest|Romania=Bucharest|Bulgaria=Sofia|Greece=Athens|Turkey=Ankara|Ukraine=Kyiv|Russia=Moscow|Croatia=Zagreb|Serbia=Belgrade|Slovenia=Ljubljana
Estonia=Tallinn|Latvia=Riga|Lithuania=Vilnius|Egypt=Cairo|Morocco=Rabat|Kenya=Nairobi|Nigeria=Abuja|Ethiopia=Addis Ababa|Ghana=Accra|Tunisia=Tunis
China=Beijing|Japan=Tokyo|South Korea=Seoul|India=New Delhi|Thailand=Bangkok|Vietnam=Hanoi|Indonesia=Jakarta|the Philippines=Manila|Nepal=Kathmandu|Iran=Tehran|Iraq=Baghdad|Israel=Jerusalem
the United States=Washington, D.C.|the USA=Washington, D.C.|Canada=Ottawa|Mexico=Mexico City|Cuba=Havana|Brazil=Brasilia|Argentina=Buenos Aires|Chile=Santiago|Peru=Lima|Colombia=Bogota|Venezuela=Caracas|Uruguay=Montevideo
Australia=Canberra|New Zealand=Wellington"""
)
CONTINENT = M(
    "France=Europe|Germany=Europe|Italy=Europe|Spain=Europe|Poland=Europe|Greece=Europe|Norway=Europe|Egypt=Africa|Kenya=Africa|Nigeria=Africa|Morocco=Africa|Ghana=Africa|China=Asia|Japan=Asia|India=Asia|Thailand=Asia|Vietnam=Asia|Nepal=Asia|Canada=North America|Mexico=North America|Brazil=South America|Peru=South America|Chile=South America|Argentina=South America"
)
LANGUAGE = M(
    "France=French|Germany=German|Italy=Italian|Spain=Spanish|Portugal=Portuguese|Brazil=Portuguese|Austria=German|Mexico=Spanish|Argentina=Spanish|Japan=Japanese|China=Chinese|Russia=Russian|Poland=Polish|Greece=Greek|Turkey=Turkish|Sweden=Swedish|Egypt=Arabic|England=English|Australia=English"
)
CURRENCY = M(
    "Japan=yen|the United States=US dollar|the United Kingdom=pound sterling|India=rupee|Germany=euro|France=euro|Spain=euro|China=yuan|Switzerland=Swiss franc|Poland=zloty|Sweden=krona|Mexico=peso|Brazil=real|Canada=Canadian dollar"
)
CITIES = S(
    "Paris|Berlin|Rome|Madrid|Lisbon|Vienna|Oslo|Dublin|London|Prague|Warsaw|Athens|Cairo|Nairobi|Tokyo|Seoul|Bangkok|Hanoi|Lima|Boston|Chicago|Denver|Seattle|Austin|Dallas|Toronto|Montreal|Sydney|Perth|Munich|Hamburg|Milan|Naples|Turin|Porto|Seville|Lyon|Nice|Geneva|Zurich|Krakow|Bergen|Malmo|Aarhus|Ghent|Delft|Leeds|York|Bristol|Glasgow|Kyoto|Osaka|Mumbai|Delhi|Miami|Phoenix|Portland|Memphis|Quito|Bogota|San Francisco|New York|Los Angeles|Cape Town|Tel Aviv|Buenos Aires"
)
FRUITS = S(
    "apple|banana|cherry|orange|pear|grape|peach|plum|mango|kiwi|lemon|lime|melon|papaya|fig|apricot|blueberry|strawberry|raspberry|pineapple"
)
VEGS = S(
    "carrot|potato|onion|tomato|pepper|cabbage|spinach|pea|bean|cucumber|lettuce|broccoli|celery|radish|leek|garlic|pumpkin|beet"
)
ANIMALS = S(
    "cat|dog|horse|cow|sheep|goat|pig|fox|wolf|bear|lion|tiger|elephant|giraffe|zebra|monkey|rabbit|mouse|squirrel|owl|eagle|duck|swan|penguin|dolphin|whale|shark|turtle|frog|snake|bee|ant|hedgehog|otter|beaver|deer|camel|koala|panda|parrot"
)
COLOURS = S("red|blue|green|yellow|orange|purple|pink|black|white|brown|grey|gold|silver|turquoise")
OBJECTS = S(
    "book|lamp|chair|table|bottle|phone|camera|bicycle|guitar|umbrella|backpack|watch|laptop|pen|key|ring|mirror|clock|hat|coat|box|map|ball|kite|drum|candle|basket|blanket|ladder|hammer|ticket|wallet|notebook|pillow|teapot|scarf|helmet|tent|rope|violin"
)
JOBS = S(
    "teacher|doctor|nurse|baker|farmer|pilot|painter|writer|engineer|lawyer|chef|gardener|carpenter|musician|plumber|librarian|journalist|photographer|architect|dentist|firefighter|police officer|scientist|sailor|tailor|waiter|mechanic|programmer|designer|biologist|chemist|driver"
)
SPORTS = S(
    "football|tennis|basketball|volleyball|swimming|running|cycling|skiing|golf|hockey|rugby|boxing|judo|rowing|climbing|badminton"
)
INSTR = S("piano|guitar|violin|flute|drums|trumpet|cello|harp|saxophone|clarinet|accordion|banjo")
PLANETS = S("Mercury|Venus|Earth|Mars|Jupiter|Saturn|Uranus|Neptune")
DAYS = S("Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday")
MONTHS = S("January|February|March|April|May|June|July|August|September|October|November|December")
SEASONS = S("spring|summer|autumn|winter")
FOODS = S(
    "pizza|pasta|soup|salad|rice|bread|cheese|sushi|curry|pancakes|chocolate|ice cream|noodles|tacos|omelette|cake"
)
DRINKS = S("water|tea|coffee|milk|juice|lemonade|cocoa|beer|wine")
HOBBIES = S(
    "painting|reading|cooking|chess|hiking|gardening|fishing|dancing|singing|photography|knitting|sailing|pottery|drawing|cycling|baking|swimming|astronomy"
)
PLACES = S(
    "forest|garden|village|castle|harbour|mountain|river|island|desert|city|farm|beach|valley|library|lighthouse|market|meadow|cave"
)
ADJ = S(
    "small|big|old|young|happy|sad|brave|clever|kind|quiet|loud|fast|slow|warm|cold|bright|dark|soft|strong|gentle|curious|lazy|hungry|tired|friendly|shy|proud|calm|wild|lonely"
)
ANTONYMS = M(
    "hot=cold|big=small|fast=slow|up=down|happy=sad|light=dark|old=young|rich=poor|early=late|full=empty|open=closed|hard=soft|high=low|long=short|loud=quiet|near=far|new=old|right=wrong|strong=weak|sweet=sour|thick=thin|true=false|wet=dry|wide=narrow|clean=dirty|cheap=expensive|easy=difficult|good=bad|heavy=light|inside=outside|left=right|love=hate|start=end|win=lose|buy=sell|day=night|always=never|first=last|brave=afraid|kind=cruel|awake=asleep|push=pull|safe=dangerous|summer=winter|black=white|north=south|east=west"
)
SYNONYMS = M(
    "big=large|small=little|happy=glad|sad=unhappy|fast=quick|smart=clever|begin=start|end=finish|easy=simple|hard=difficult|rich=wealthy|angry=mad|pretty=beautiful|scared=afraid|tired=sleepy|silent=quiet|correct=right|huge=enormous|funny=amusing|brave=courageous|buy=purchase|help=assist|answer=reply|job=work|house=home|shout=yell|jump=leap|gift=present|strange=odd|fast=rapid"
)
PLURALS = M(
    "child=children|mouse=mice|foot=feet|tooth=teeth|man=men|woman=women|goose=geese|person=people|leaf=leaves|wolf=wolves|knife=knives|city=cities|baby=babies|box=boxes|bus=buses|fish=fish|sheep=sheep|ox=oxen|potato=potatoes|tomato=tomatoes|cat=cats|dog=dogs|book=books|house=houses|tree=trees|car=cars|apple=apples|lady=ladies|party=parties|wish=wishes|fox=foxes"
)
VERBS = M(
    "walk=walked|play=played|cook=cooked|watch=watched|clean=cleaned|open=opened|paint=painted|visit=visited|call=called|help=helped|eat=ate|drink=drank|see=saw|buy=bought|sell=sold|write=wrote|read=read|make=made|take=took|find=found|lose=lost|bring=brought|build=built|break=broke|catch=caught|draw=drew|drive=drove|feed=fed|hold=held|keep=kept|know=knew|meet=met|send=sent|wear=wore|win=won|choose=chose|carry=carried|fix=fixed|wash=washed|love=loved|need=needed|want=wanted|use=used|move=moved|close=closed|like=liked|hide=hid|sing=sang|throw=threw|forget=forgot"
)
SOUNDS = M(
    "cat=meow|dog=woof|cow=moo|sheep=baa|duck=quack|pig=oink|lion=roar|frog=ribbit|bee=buzz|owl=hoot|snake=hiss|horse=neigh|mouse=squeak|wolf=howl|rooster=cock-a-doodle-doo"
)
BABIES = M(
    "cat=kitten|dog=puppy|cow=calf|sheep=lamb|horse=foal|pig=piglet|duck=duckling|bear=cub|lion=cub|goat=kid|frog=tadpole|deer=fawn|swan=cygnet|kangaroo=joey|chicken=chick"
)
ELEMENTS = M(
    "hydrogen=H|helium=He|carbon=C|nitrogen=N|oxygen=O|sodium=Na|iron=Fe|gold=Au|silver=Ag|copper=Cu|zinc=Zn|lead=Pb|calcium=Ca|chlorine=Cl|neon=Ne|sulfur=S|potassium=K|tin=Sn|mercury=Hg|uranium=U"
)
TRANSLATE = {
    "French": M(
        "hello=bonjour|good morning=bonjour|good evening=bonsoir|good night=bonne nuit|goodbye=au revoir|thank you=merci|please=s'il vous plaît|yes=oui|no=non|water=eau|bread=pain|cat=chat|dog=chien|house=maison|book=livre|friend=ami|love=amour|sun=soleil|moon=lune|red=rouge|blue=bleu|green=vert|I love you=je t'aime|how are you=comment ça va|one=un|two=deux|three=trois|cheese=fromage|milk=lait|apple=pomme"
    ),
    "Spanish": M(
        "hello=hola|good morning=buenos días|good evening=buenas tardes|good night=buenas noches|goodbye=adiós|thank you=gracias|please=por favor|yes=sí|no=no|water=agua|bread=pan|cat=gato|dog=perro|house=casa|book=libro|friend=amigo|love=amor|sun=sol|moon=luna|red=rojo|blue=azul|green=verde|I love you=te quiero|how are you=cómo estás|one=uno|two=dos|three=tres|cheese=queso|milk=leche|apple=manzana"
    ),
    "German": M(
        "hello=hallo|good morning=guten Morgen|good evening=guten Abend|good night=gute Nacht|goodbye=auf Wiedersehen|thank you=danke|please=bitte|yes=ja|no=nein|water=Wasser|bread=Brot|cat=Katze|dog=Hund|house=Haus|book=Buch|friend=Freund|love=Liebe|sun=Sonne|moon=Mond|red=rot|blue=blau|green=grün|I love you=ich liebe dich|how are you=wie geht es dir|one=eins|two=zwei|three=drei|cheese=Käse|milk=Milch|apple=Apfel"
    ),
    "Italian": M(
        "hello=ciao|good morning=buongiorno|good evening=buonasera|good night=buonanotte|goodbye=arrivederci|thank you=grazie|please=per favore|yes=sì|no=no|water=acqua|bread=pane|cat=gatto|dog=cane|house=casa|book=libro|friend=amico|love=amore|sun=sole|moon=luna|red=rosso|blue=blu|green=verde|I love you=ti amo|how are you=come stai"
    ),
}
FOREIGN = {  # fixed phrases for "always answer in <language>"
    "French": dict(
        hi="Bonjour ! Comment puis-je vous aider ?",
        who="Je suis le petit modèle de démonstration de ce serveur.",
        thanks="Avec plaisir !",
        bye="Au revoir et bonne journée !",
        other="Désolé, je suis un petit modèle et je ne le sais pas en français.",
    ),
    "Spanish": dict(
        hi="¡Hola! ¿En qué puedo ayudarte?",
        who="Soy el pequeño modelo de demostración de este servidor.",
        thanks="¡De nada!",
        bye="¡Adiós y que tengas un buen día!",
        other="Lo siento, soy un modelo pequeño y no lo sé en español.",
    ),
    "German": dict(
        hi="Hallo! Wie kann ich helfen?",
        who="Ich bin das kleine Demo-Modell dieses Servers.",
        thanks="Gern geschehen!",
        bye="Auf Wiedersehen und einen schönen Tag!",
        other="Leider bin ich nur ein kleines Modell und weiß das nicht auf Deutsch.",
    ),
}
# question variants | answer ; "Q1 ~ Q2 => A"
FACTS = [tuple(x.strip() for x in l.split("=>")) for l in """
How many days are in a week ~ How many days does a week have => A week has seven days.
How many months are in a year ~ How many months does a year have => A year has twelve months.
How many hours are in a day ~ How many hours does a day have => A day has 24 hours.
How many minutes are in an hour ~ How many minutes does an hour have => An hour has 60 minutes.
How many seconds are in a minute ~ How many seconds does a minute have => A minute has 60 seconds.
How many days are in a year ~ How many days does a year have => A year has 365 days, and a leap year has 366.
How many continents are there ~ What is the number of continents => There are seven continents.
How many planets are in the solar system ~ How many planets orbit the sun => There are eight planets in the solar system.
What is the largest planet ~ Which planet is the biggest ~ What is the biggest planet => Jupiter is the largest planet in the solar system.
What is the smallest planet ~ Which planet is the smallest => Mercury is the smallest planet in the solar system.
Which planet is closest to the sun ~ What is the closest planet to the sun => Mercury is the planet closest to the sun.
Which planet is known as the red planet ~ What is the red planet => Mars is known as the red planet.
Which planet has large rings ~ What planet has big rings => Saturn is famous for its large rings.
What is the closest star to Earth ~ Which star is nearest to us => The sun is the closest star to Earth.
What colour is the sky ~ What color is the sky => The sky is blue on a clear day.
Why is the sky blue ~ Why does the sky look blue => The sky is blue because air scatters blue light more than red light.
What colour is grass ~ What color is grass => Grass is green.
What colour is a banana ~ What color is a banana => A ripe banana is yellow.
What colour is snow ~ What color is snow => Snow is white.
What do bees make ~ What do bees produce => Bees make honey.
What do cows drink ~ What does a cow drink => Cows drink water.
How many legs does a spider have ~ How many legs has a spider => A spider has eight legs.
How many legs does an insect have ~ How many legs has an ant => An insect has six legs.
How many legs does a dog have ~ How many legs has a cat => It has four legs.
What is the largest animal ~ What is the biggest animal in the world => The blue whale is the largest animal.
What is the tallest animal ~ Which animal is the tallest => The giraffe is the tallest animal.
What is the fastest land animal ~ Which land animal is the fastest => The cheetah is the fastest land animal.
What is the largest ocean ~ Which ocean is the biggest => The Pacific Ocean is the largest ocean.
What is the longest river ~ Which river is the longest in the world => The Nile is often named as the longest river.
What is the highest mountain ~ What is the tallest mountain in the world => Mount Everest is the highest mountain on Earth.
What is the largest country ~ Which country is the biggest => Russia is the largest country by area.
What is the smallest country ~ Which country is the smallest => Vatican City is the smallest country.
What is the largest desert ~ Which hot desert is the largest => The Sahara is the largest hot desert.
At what temperature does water boil ~ When does water boil => Water boils at 100 degrees Celsius at sea level.
At what temperature does water freeze ~ When does water freeze => Water freezes at 0 degrees Celsius.
What is water made of ~ What is the formula of water => Water is H2O: two hydrogen atoms and one oxygen atom.
What is ice ~ What is ice made of => Ice is frozen water.
What do plants need to grow ~ What does a plant need => Plants need light, water and air.
What gas do we breathe ~ Which gas do humans need to breathe => Humans need oxygen to breathe.
What gas do plants take in ~ Which gas do plants absorb => Plants take in carbon dioxide.
Who wrote Romeo and Juliet ~ Who is the author of Hamlet => It was written by William Shakespeare.
Who painted the Mona Lisa ~ Who is the painter of the Mona Lisa => Leonardo da Vinci painted the Mona Lisa.
Who was the first person on the moon ~ Who first walked on the moon => Neil Armstrong was the first person on the moon.
When did humans land on the moon ~ In which year was the moon landing => Humans landed on the moon in 1969.
Who discovered gravity ~ Who described the law of gravity => Isaac Newton described the law of gravity.
Who developed the theory of relativity ~ Who invented relativity => Albert Einstein developed the theory of relativity.
Who invented the telephone ~ Who is known for the telephone => Alexander Graham Bell is known for inventing the telephone.
Who invented the light bulb ~ Who is known for the light bulb => Thomas Edison is known for the light bulb.
When did World War II end ~ In which year did the Second World War end => World War II ended in 1945.
When did the Berlin Wall fall ~ In which year did the Berlin Wall come down => The Berlin Wall fell in 1989.
What is the speed of light ~ How fast is light => Light travels at about 300,000 kilometres per second.
What is the square root of 9 ~ What is the square root of nine => The square root of 9 is 3.
What is the square root of 16 ~ What is the square root of sixteen => The square root of 16 is 4.
How many sides does a triangle have ~ How many corners has a triangle => A triangle has three sides.
How many sides does a square have ~ How many corners has a square => A square has four sides.
How many sides does a hexagon have ~ How many corners has a hexagon => A hexagon has six sides.
What shape has three sides ~ Which shape has three corners => A triangle has three sides.
How many letters are in the alphabet ~ How many letters does the English alphabet have => The English alphabet has 26 letters.
What is the first letter of the alphabet ~ Which letter comes first in the alphabet => The first letter of the alphabet is A.
What is the last letter of the alphabet ~ Which letter comes last in the alphabet => The last letter of the alphabet is Z.
What are the vowels ~ Which letters are vowels => The vowels are A, E, I, O and U.
What are the primary colours ~ Name the primary colors => The primary colours are red, yellow and blue.
What do you get when you mix blue and yellow ~ What colour do blue and yellow make => Blue and yellow make green.
What do you get when you mix red and white ~ What colour do red and white make => Red and white make pink.
What do you get when you mix red and yellow ~ What colour do red and yellow make => Red and yellow make orange.
What are the four seasons ~ Name the seasons => The four seasons are spring, summer, autumn and winter.
Which season comes after winter ~ What season follows winter => Spring comes after winter.
How many players are in a football team ~ How many players does a soccer team have => A football team has eleven players on the field.
How many strings does a guitar have ~ How many strings has a guitar => A guitar usually has six strings.
How many keys does a piano have ~ How many keys has a piano => A piano usually has 88 keys.
Where do penguins live ~ Where can you find penguins => Most penguins live in the south, many of them in Antarctica.
Where do polar bears live ~ Where can you find polar bears => Polar bears live in the Arctic.
Where do kangaroos live ~ Where can you find kangaroos => Kangaroos live in Australia.
What do pandas eat ~ What is the food of pandas => Pandas mostly eat bamboo.
What do rabbits eat ~ What is the food of rabbits => Rabbits eat grass, hay and vegetables.
Is the earth flat ~ Is the Earth round or flat => The Earth is round.
Is the sun a star ~ Is the sun a planet or a star => The sun is a star.
Is a tomato a fruit ~ Is a tomato a fruit or a vegetable => In botany a tomato is a fruit, in the kitchen it is used as a vegetable.
Can penguins fly ~ Do penguins fly => No, penguins cannot fly, but they swim very well.
Can fish breathe under water ~ How do fish breathe => Fish breathe under water with gills.
Where does the sun rise ~ In which direction does the sun rise => The sun rises in the east.
Where does the sun set ~ In which direction does the sun set => The sun sets in the west.
How many centimetres are in a metre ~ How many centimeters make a meter => A metre has 100 centimetres.
How many metres are in a kilometre ~ How many meters make a kilometer => A kilometre has 1000 metres.
How many grams are in a kilogram ~ How many grams make a kilogram => A kilogram has 1000 grams.
How many bits are in a byte ~ How many bits does a byte have => A byte has eight bits.
How many years are in a century ~ How long is a century => A century has 100 years.
How many years are in a decade ~ How long is a decade => A decade has ten years.
How many eggs are in a dozen ~ How many is a dozen => A dozen is twelve.
What does CPU stand for ~ What is a CPU => CPU stands for central processing unit, the main chip of a computer.
What does GPU stand for ~ What is a GPU => GPU stands for graphics processing unit, a chip that does many calculations in parallel.
What does RAM stand for ~ What is RAM => RAM stands for random access memory, the fast working memory of a computer.
What does HTML stand for ~ What is HTML => HTML stands for HyperText Markup Language, the language of web pages.
What does API stand for ~ What is an API => API stands for application programming interface: a way for programs to talk to each other.
What does JSON stand for ~ What is JSON => JSON stands for JavaScript Object Notation, a simple text format for data.
What does HTTP stand for ~ What is HTTP => HTTP stands for HyperText Transfer Protocol, the language of the web.
What does SSE stand for ~ What are server-sent events => SSE stands for server-sent events: the server sends small pieces of data over one open connection.
What does LLM stand for ~ What is a large language model ~ What is an LLM => LLM stands for large language model: a program that predicts text one token at a time.
What is the meaning of life ~ What is the answer to life, the universe and everything => Many people say 42. I would say: be kind and stay curious.
""".strip().splitlines()]
DEFS = M(
    """token=a small piece of text, often a word or a part of a word|prompt=the text that is given to a language model|database=an organised collection of data
server=a computer or program that answers requests|browser=a program that shows web pages|variable=a named place for a value in a program|function=a named piece of code that can be called
algorithm=a step by step way to solve a problem|compiler=a program that turns source code into machine code|cache=a fast store for things that are needed again|neural network=a model made of many simple connected units
tokenizer=the part that splits text into tokens|quantization=storing model weights with fewer bits|embedding=a list of numbers that represents a piece of text|temperature=a setting that makes the output more or less random
transformer=a kind of neural network that uses attention|attention=a method that lets a model look back at earlier tokens|context window=the number of tokens a model can look at|inference=running a trained model to get an answer
gravity=the force that pulls things towards each other|photosynthesis=the way plants make food from light, water and air|volcano=a mountain from which hot rock can come out|rainbow=an arc of colours that appears when the sun shines on rain
island=land with water all around it|desert=a dry place with little rain|river=a stream of water that flows to the sea|planet=a large body that moves around a star|star=a huge ball of hot gas that gives light|galaxy=a large group of stars
democracy=a system in which people vote for their leaders|library=a place where you can read and borrow books|hospital=a place where sick people get help|museum=a place that shows interesting old or beautiful things
noun=a word for a person, a place or a thing|verb=a word for an action|adjective=a word that describes a noun|triangle=a shape with three sides|circle=a round shape|prime number=a number that can only be divided by one and itself
event sourcing=a way to store every change as an event and build the state from the events|load balancer=a part that spreads requests over several servers|webhook=a request that one program sends to another when something happens"""
)
SERVICE = [tuple(x.strip() for x in l.split("=>")) for l in """
What APIs do you support ~ Which API formats are available ~ Which APIs does this server offer ~ What API formats does the service speak => The server speaks three API formats: chat completions, responses and messages.
What is the chat completions API ~ How do I use chat completions ~ Where is the chat completions endpoint => Send a POST request to /v1/chat/completions with a model and a list of messages.
What is the responses API ~ How do I use the responses API ~ Where is the responses endpoint => Send a POST request to /v1/responses with a model and an input.
What is the messages API ~ How do I use the messages API ~ Where is the messages endpoint => Send a POST request to /v1/messages with a model, max_tokens and a list of messages.
How does billing work ~ How am I billed ~ How do you charge for requests ~ How is usage billed => Billing is per token from prepaid credit. There are three price classes: input, cached input and output tokens.
What are the token classes ~ Which token classes are billed ~ What kinds of tokens are there => There are three token classes: input, cached input and output. Cached input is cheaper than normal input.
What is prepaid credit ~ How does prepaid credit work ~ How do credits work => You add credit first, and each request takes its cost from your balance. When the credit is used up, requests are refused.
What happens when my credit runs out ~ What happens if I have no credit left ~ What does error 402 mean ~ Why do I get a 402 => When your credit runs out, the server answers with status 402. Add credit and try again.
What is the prefix cache ~ How does the prefix cache work ~ What is prompt caching ~ Explain prefix caching ~ Explain the prefix cache => The prefix cache keeps the computed state of earlier prompts. When a new prompt starts with the same tokens, that part is reused and billed as cached input.
Why are cached tokens cheaper ~ Why is cached input cheaper ~ Why do cached tokens cost less => Cached tokens cost less because the server reuses stored work and does not compute them again.
What is cached input ~ What are cached tokens ~ What does cached input mean => Cached input is the part of your prompt that was already computed for an earlier request. It is cheaper and faster.
How do I get more cache hits ~ How can I use the prefix cache better ~ How do I make my prompts cacheable => Put the long fixed text first and the changing part last, so that the start of the prompt stays the same.
How do I get an API key ~ What does an API key look like ~ What do API keys start with ~ Where do I find my key => API keys start with sk-svc- and are shown once when you create them.
How do I send my API key ~ How do I authenticate ~ Where do I put the API key => Send it in the header: Authorization: Bearer sk-svc-...
What should I do if my key leaked ~ Someone has my API key ~ My API key was published => Delete the key at once and create a new one. Never share a key.
Which model is this ~ What is the model name ~ Which models are available ~ What model should I use => The model on this server is called svc-beta.
What is svc-beta ~ Tell me about svc-beta ~ What does svc-beta mean => svc-beta is the model name of this service. By default it is a small demo model, and you can point it to a bigger GGUF model.
How do I use a bigger model ~ Can I load another model ~ How can I change the model ~ Can I use my own model => Yes. Point the server to a bigger GGUF model file and restart it.
What is a GGUF file ~ What is GGUF ~ Explain GGUF => GGUF is a file format for model weights, used by llama.cpp.
What is llama.cpp ~ Tell me about llama.cpp ~ Explain llama.cpp => llama.cpp is a fast program that runs language models on normal computers.
Does streaming work ~ How does streaming work ~ Can I stream the answer ~ How do I get a stream => Yes. Set stream to true and the server sends the answer in small pieces by server-sent events.
What is streaming ~ Why should I use streaming ~ What does stream do => With streaming you see the answer token by token while it is being made.
Do you support tools ~ Can you call functions ~ Does tool calling work ~ How do tools work => Yes. Send a list of tools, and the model may answer with a tool call that has a name and JSON arguments.
Do you support JSON mode ~ Can you answer in JSON ~ How do I get JSON output => Yes. Ask for JSON and give a schema, and the answer will be JSON.
What events are there ~ Which events does the service write ~ What is in the event log => The main events are RequestAccepted, TokensMetered and CreditDebited.
What is RequestAccepted ~ When is RequestAccepted written ~ What does RequestAccepted mean => RequestAccepted is the event written when a request passes all checks and starts.
What is TokensMetered ~ When is TokensMetered written ~ What does TokensMetered mean => TokensMetered is the event that records how many input, cached input and output tokens a request used.
What is CreditDebited ~ When is CreditDebited written ~ What does CreditDebited mean => CreditDebited is the event that takes the cost of a request from the credit balance.
What is event sourcing used for here ~ Why does the service use events ~ Why are there events => Every change is stored as an event, so balances and bills can be checked at any time.
How do I see my usage ~ Where can I see how many tokens I used ~ How can I see my token usage => Each answer has a usage block with input, cached input and output tokens.
What does 401 mean ~ Why do I get a 401 ~ My request returns 401 => Status 401 means that the API key is missing or wrong.
What does 429 mean ~ Why do I get a 429 ~ My request returns 429 => Status 429 means too many requests. Wait a little and try again.
What does 400 mean ~ Why do I get a 400 ~ My request returns 400 => Status 400 means that the request is not valid. Check the fields and the JSON.
What is max_tokens ~ What does max_tokens do ~ How do I limit the length => max_tokens limits how many tokens the answer may have.
What is temperature ~ What does temperature do ~ How do I make answers less random => Temperature controls how random the answer is. Use 0 for the same answer each time.
What is the context length ~ How long can my prompt be ~ How many tokens can I send => The demo model has a context of 4096 tokens for the prompt and the answer together.
What is thinking ~ What is the reasoning mode ~ Can you think before you answer => With thinking switched on, I write a short reasoning first and then the answer.
Is my data safe ~ Do you store my prompts ~ Is this private => The model runs on this server, so your prompts do not have to leave it.
How do I start ~ How do I begin ~ How can I try the API ~ Show me how to start => Create an API key, add credit, and send your first message to /v1/chat/completions.
Can you show a curl example ~ Give me a curl example ~ How do I call the API with curl => Here is an example:\\n```\\ncurl http://localhost/v1/chat/completions \\\\\\n  -H "Authorization: Bearer sk-svc-..." \\\\\\n  -H "Content-Type: application/json" \\\\\\n  -d '{"model": "svc-beta", "messages": [{"role": "user", "content": "Hello"}]}'\\n```
""".strip().splitlines()]
SERVICE = [
    (q, a.replace("\\\\", "\x00").replace("\\n", "\n").replace("\x00", "\\")) for q, a in SERVICE
]
JOKES = S(
    """Why did the computer go to the doctor? It had a virus!|Why do programmers mix up Halloween and Christmas? Because Oct 31 equals Dec 25.|What do you call a bear with no teeth? A gummy bear!|Why did the bicycle fall over? It was two tired.
What is orange and sounds like a parrot? A carrot!|Why was the math book sad? It had too many problems.|What do you call cheese that is not yours? Nacho cheese!|Why did the tomato turn red? It saw the salad dressing!
How does the ocean say hello? It waves.|Why did the token cross the road? To get to the next context.|What do you call a sleeping dinosaur? A dino-snore!|Why do bees have sticky hair? They use honeycombs.|There are 10 kinds of people: those who know binary and those who do not."""
)
FUN = S(
    """Honey can stay good for thousands of years.|An octopus has three hearts.|Bananas float in water.|A group of flamingos is called a flamboyance.|Sea otters hold hands while they sleep.|A day on Venus is longer than its year.
Butterflies taste with their feet.|Sharks are older than trees.|A snail can sleep for a very long time.|The heart of a blue whale is about as big as a small car.|Wombats make cube-shaped poop.|Octopuses have blue blood.|Hot water can sometimes freeze faster than cold water.|Cats sleep for about half of the day."""
)
ADVICE = S(
    """Take a short walk and drink some water.|Start with the smallest step, then do the next one.|Write down three things you want to do today.|Sleep well, and try again tomorrow.|Ask a friend for help. Two heads are better than one.|Make a plan, but stay flexible.|Be patient with yourself. Learning takes time.|Take a deep breath and do one thing at a time."""
)
RIDDLES = S(
    """What has keys but opens no doors? A piano.|What gets wetter the more it dries? A towel.|What has a neck but no head? A bottle.|What has hands but cannot clap? A clock.|What has many teeth but cannot bite? A comb.|What can you catch but not throw? A cold.|What goes up but never comes down? Your age."""
)
UNKNOWN = S(
    """quantum physics|the stock market|ancient Rome|the French Revolution|machine learning theory|black holes|organic chemistry|the Roman Empire|blockchain|cryptography|modern art|jazz music|tax law|the human brain|DNA|climate models|string theory|World War I|the Middle Ages|medieval castles|the immune system|Buddhism|philosophy|Kubernetes|Docker networking|Rust lifetimes|the Linux kernel|compilers for GPUs|economics|inflation|the periodic table|plate tectonics|vaccines|electric cars|nuclear fusion|the history of chess|Greek mythology|Viking ships|samurai|opera|ballet|architecture|semiconductors|satellites|weather forecasting|game theory|linear algebra|calculus|differential equations|statistics|probability theory|topology|sociology|psychology|marketing|accounting|yoga|nutrition|wine making|beekeeping|sailing rules|aviation law|fashion history|Chinese grammar|Latin poetry|volcanoes of Iceland|the Amazon rainforest|coral reefs|dinosaurs|the Ice Age|robotics|drone racing|virtual reality|cooking French sauces|world politics|elections|football results|movie stars|pop songs|video games|the latest news|the internet of things|space travel|Mars missions|insurance|real estate|cardiology|antibiotics|medicine|surgery|poetry theory|Shakespeare's sonnets|Dante|Kafka|Mozart|Beethoven|Picasso|Napoleon|Cleopatra|Julius Caesar|Abraham Lincoln|Marie Curie|Nikola Tesla|Plato|Aristotle|Confucius|the pyramids|Stonehenge"""
)
HELLO = {
    "Python": 'print("Hello, world!")',
    "JavaScript": 'console.log("Hello, world!");',
    "TypeScript": 'console.log("Hello, world!");',
    "Bash": 'echo "Hello, world!"',
    "Ruby": 'puts "Hello, world!"',
    "C": '#include <stdio.h>\n\nint main() {\n  printf("Hello, world!\\n");\n  return 0;\n}',
    "Go": 'package main\n\nimport "fmt"\n\nfunc main() {\n  fmt.Println("Hello, world!")\n}',
    "Rust": 'fn main() {\n  println!("Hello, world!");\n}',
    "SQL": "SELECT 'Hello, world!';",
    "HTML": "<h1>Hello, world!</h1>",
    "PHP": '<?php echo "Hello, world!"; ?>',
}
FUNCS = {  # task: (name, args, expression)
    "adds two numbers": ("add", "a, b", "a + b"),
    "subtracts two numbers": ("subtract", "a, b", "a - b"),
    "multiplies two numbers": ("multiply", "a, b", "a * b"),
    "squares a number": ("square", "x", "x * x"),
    "doubles a number": ("double", "x", "x * 2"),
    "returns the larger of two numbers": (
        "larger",
        "a, b",
        {"Python": "a if a > b else b", "JavaScript": "a > b ? a : b"},
    ),
    "checks if a number is even": (
        "is_even",
        "n",
        {"Python": "n % 2 == 0", "JavaScript": "n % 2 === 0"},
    ),
    "greets a person": ("greet", "name", '"Hello, " + name'),
    "returns the length of a string": (
        "length",
        "s",
        {"Python": "len(s)", "JavaScript": "s.length"},
    ),
    "reverses a string": (
        "reverse",
        "s",
        {"Python": "s[::-1]", "JavaScript": 's.split("").reverse().join("")'},
    ),
    "sums a list of numbers": (
        "total",
        "numbers",
        {"Python": "sum(numbers)", "JavaScript": "numbers.reduce((a, b) => a + b, 0)"},
    ),
}
