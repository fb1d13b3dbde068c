import os
from anthropic import Anthropic

client = Anthropic(base_url="http://127.0.0.1:8080", api_key=os.environ["SVC_KEY"])
answer = client.messages.create(
    model="svc-beta",
    max_tokens=256,
    messages=[{"role": "user", "content": "What is the capital of France?"}],
)
print(answer.content[0].text)
