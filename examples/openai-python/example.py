"""The openai package with this service: base URL, key and model are all that changes."""

import json
import os

from openai import OpenAI, pydantic_function_tool
from pydantic import BaseModel

service = os.environ.get("SVC_URL", "http://127.0.0.1:8080")
client = OpenAI(base_url=f"{service}/v1", api_key=os.environ["SVC_KEY"])
model = "svc-beta"

# A plain answer.
completion = client.chat.completions.create(
    model=model,
    temperature=0,
    messages=[{"role": "user", "content": "What is the capital city of Norway?"}],
)
print("plain:", completion.choices[0].message.content)

# A stream.
print("stream: ", end="")
with client.chat.completions.stream(
    model=model,
    temperature=0,
    messages=[{"role": "user", "content": "Write a short story about a fox named Mira"}],
) as stream:
    for event in stream:
        if event.type == "content.delta":
            print(event.delta, end="", flush=True)
print()


# A tool: the model asks for it, the client runs it, the model answers with its result.
class GetWeather(BaseModel):
    """Get the current weather for a city"""

    city: str


tools = [pydantic_function_tool(GetWeather, name="get_weather")]
messages = [{"role": "user", "content": "What is the weather in Paris?"}]
asking = client.chat.completions.parse(
    model=model, temperature=0, messages=messages, tools=tools
).choices[0].message
messages.append(asking.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))
for call in asking.tool_calls:
    print("tool:", call.function.name, "of", call.function.parsed_arguments.city)
    result = json.dumps({"temperature": 19, "condition": "cloudy"})
    messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
told = client.chat.completions.create(
    model=model, temperature=0, messages=messages, tools=tools
)
print("tool:", told.choices[0].message.content)


# An answer with a schema, here in the Responses format: what comes back is sure to fit.
class Person(BaseModel):
    name: str
    age: int


response = client.responses.parse(
    model=model,
    temperature=0,
    input="Extract the name and age as JSON: Beatrix is 29 years old and likes kayaks.",
    text_format=Person,
)
print("structured:", response.output_parsed)

# What it cost: the usage of an answer is what is billed.
usage = response.usage
print("usage:", usage.input_tokens, "tokens in,", usage.output_tokens, "tokens out")
balance = client.get("/balance", cast_to=dict[str, str])
print("balance:", balance["available"], balance["currency"])
