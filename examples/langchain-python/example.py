"""LangChain with this service: base URL, key and model are all that changes."""

import os

from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

service = os.environ.get("SVC_URL", "http://127.0.0.1:8080")
settings = {"model": "svc-beta", "api_key": os.environ["SVC_KEY"], "temperature": 0}

# Chat completions, the Responses format or the Messages format: as you like.
# With a base URL of one's own, LangChain asks for the usage of a stream only when it is told to.
model = ChatOpenAI(**settings, base_url=f"{service}/v1", stream_usage=True)
others = [
    ChatOpenAI(**settings, base_url=f"{service}/v1", use_responses_api=True),
    # Without /v1: the client adds it.
    ChatAnthropic(**settings, base_url=service, max_tokens=200),
]

# A plain answer, by each of them.
for each in [model, *others]:
    print("plain:", each.invoke("What is the capital city of Norway?").text)

# A stream.
print("stream: ", end="")
for chunk in model.stream("Write a short story about a fox named Mira"):
    print(chunk.text, end="", flush=True)
print()


# A tool: the model asks for it, the client runs it, the model answers with its result.
@tool
def get_weather(city: str) -> dict:
    """Get the current weather for a city"""
    print("tool: get_weather of", city)
    return {"temperature": 19, "condition": "cloudy"}


with_tools = model.bind_tools([get_weather])
messages = [HumanMessage("What is the weather in Paris?")]
asking = with_tools.invoke(messages)
messages.append(asking)
messages.extend(get_weather.invoke(call) for call in asking.tool_calls)
print("tool:", with_tools.invoke(messages).text)


# An answer with a schema: what comes back is sure to fit.
class Person(BaseModel):
    name: str
    age: int


structured = model.with_structured_output(Person, method="json_schema", include_raw=True)
answer = structured.invoke(
    "Extract the name and age as JSON: Beatrix is 29 years old and likes kayaks."
)
print("structured:", answer["parsed"])

# What it cost: the usage of an answer is what is billed.
usage = answer["raw"].usage_metadata
print("usage:", usage["input_tokens"], "tokens in,", usage["output_tokens"], "tokens out")
balance = model.root_client.get("/balance", cast_to=dict[str, str])
print("balance:", balance["available"], balance["currency"])
