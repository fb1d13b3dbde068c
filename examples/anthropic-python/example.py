"""The Anthropic SDK with this service: base URL, key and model are all that changes."""

import json
import os

from anthropic import Anthropic, beta_tool
from pydantic import BaseModel

service = os.environ.get("SVC_URL", "http://127.0.0.1:8080")
# Without /v1: the SDK adds it.
client = Anthropic(base_url=service, api_key=os.environ["SVC_KEY"])
# The SDK has no argument for the temperature any more; the service takes it all the same.
settings = {"model": "svc-beta", "max_tokens": 200, "extra_body": {"temperature": 0}}

# A plain answer.
message = client.messages.create(
    **settings,
    messages=[{"role": "user", "content": "What is the capital city of Norway?"}],
)
print("plain:", message.content[0].text)

# A stream.
print("stream: ", end="")
with client.messages.stream(
    **settings,
    messages=[{"role": "user", "content": "Write a short story about a fox named Mira"}],
) as stream:
    for delta in stream.text_stream:
        print(delta, end="", flush=True)
print()


# A tool: the model asks for it, the client runs it, the model answers with its result.
@beta_tool
def get_weather(city: str) -> str:
    """Get the current weather for a city"""
    print("tool: get_weather of", city)
    return json.dumps({"temperature": 19, "condition": "cloudy"})


final = client.beta.messages.tool_runner(
    **settings,
    messages=[{"role": "user", "content": "What is the weather in Paris?"}],
    tools=[get_weather],
).until_done()
print("tool:", final.content[0].text)


# An answer with a schema: what comes back is sure to fit.
class Person(BaseModel):
    name: str
    age: int


content = "Extract the name and age as JSON: Beatrix is 29 years old and likes kayaks."
parsed = client.messages.parse(
    **settings,
    messages=[{"role": "user", "content": content}],
    output_format=Person,
)
print("structured:", parsed.parsed_output)

# What it cost: the usage of an answer is what is billed.
print("usage:", parsed.usage.input_tokens, "tokens in,", parsed.usage.output_tokens, "tokens out")
balance = client.get("/v1/balance", cast_to=dict[str, str])
print("balance:", balance["available"], balance["currency"])
