#!/usr/bin/env bash
# The service with nothing but curl: three formats, a stream, a tool, a schema, and what it cost.
set -euo pipefail

service=${SVC_URL:-http://127.0.0.1:8080}

# ask PATH BODY: sends it with the key, and fails where the service refuses.
ask() {
  curl --silent --show-error --fail-with-body --no-buffer --dump-header "$headers" \
    "$service$1" \
    --header "authorization: Bearer $SVC_KEY" \
    --header 'content-type: application/json' \
    --data "$2"
}
get() {
  curl --silent --show-error --fail-with-body "$service$1" \
    --header "authorization: Bearer $SVC_KEY"
}
say() { printf '\n== %s\n' "$1"; }
headers=$(mktemp)
trap 'rm -f "$headers"' EXIT

say 'plain: chat completions'
ask /v1/chat/completions '{
  "model": "svc-beta", "temperature": 0,
  "messages": [{"role": "user", "content": "What is the capital city of Norway?"}]
}'

say 'plain: responses'
ask /v1/responses '{
  "model": "svc-beta", "temperature": 0,
  "input": "What is the capital city of Norway?"
}'

say 'plain: messages'
ask /v1/messages '{
  "model": "svc-beta", "temperature": 0, "max_tokens": 200,
  "messages": [{"role": "user", "content": "What is the capital city of Norway?"}]
}'

say 'stream'
ask /v1/chat/completions '{
  "model": "svc-beta", "temperature": 0,
  "stream": true, "stream_options": {"include_usage": true},
  "messages": [{"role": "user", "content": "Count from 4 to 11"}]
}'

weather='{
  "type": "function",
  "function": {
    "name": "get_weather",
    "description": "Get the current weather for a city",
    "parameters": {
      "type": "object",
      "properties": {"city": {"type": "string", "description": "The city"}},
      "required": ["city"]
    }
  }
}'

say 'tool: the model asks for it'
ask /v1/chat/completions '{
  "model": "svc-beta", "temperature": 0, "tools": ['"$weather"'],
  "messages": [{"role": "user", "content": "What is the weather in Paris?"}]
}'

say 'tool: it gets the result, under the id of its call, and answers'
ask /v1/chat/completions '{
  "model": "svc-beta", "temperature": 0, "tools": ['"$weather"'],
  "messages": [
    {"role": "user", "content": "What is the weather in Paris?"},
    {"role": "assistant", "content": null, "tool_calls": [{
      "id": "call_1", "type": "function",
      "function": {"name": "get_weather", "arguments": "{\"city\": \"Paris\"}"}
    }]},
    {"role": "tool", "tool_call_id": "call_1",
     "content": "{\"temperature\": 19, \"condition\": \"cloudy\"}"}
  ]
}'

say 'structured: what comes back is sure to fit'
ask /v1/chat/completions '{
  "model": "svc-beta", "temperature": 0,
  "messages": [{"role": "user", "content":
    "Extract the name and age as JSON: Beatrix is 29 years old and likes kayaks."}],
  "response_format": {"type": "json_schema", "json_schema": {
    "name": "person", "strict": true,
    "schema": {
      "type": "object",
      "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
      "required": ["name", "age"], "additionalProperties": false
    }
  }}
}'

say 'receipt: what the last request cost, and by which prices'
request=$(sed -n 's/^x-request-id: \([a-z0-9_]*\).*/\1/p' "$headers")
get "/v1/requests/$request"

say 'balance'
get /v1/balance
echo
