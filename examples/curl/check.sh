#!/usr/bin/env bash
# What the service answers to curl: every answer of the example, word for word where it is sure, and
# the status of each refusal.
set -euo pipefail
cd "$(dirname "$0")"

output=$(./example.sh)
number=0
failed=0

# check NAME COMMAND...: one line in the form that the runner counts.
check() {
  local name=$1
  shift
  number=$((number + 1))
  if "$@"; then
    echo "ok $number - $name"
  else
    echo "not ok $number - $name"
    failed=1
  fi
}
says() { grep --quiet --fixed-strings -- "$1" <<<"$output"; }
times() { [ "$(grep --count --fixed-strings -- "$2" <<<"$output")" -eq "$1" ]; }
refuses() {
  local status=$1 path=$2 key=$3 body=$4 got
  got=$(curl --silent --output /dev/null --write-out '%{http_code}' "$SVC_URL$path" \
    --header "x-api-key: $key" --header 'content-type: application/json' --data "$body")
  [ "$got" = "$status" ]
}

check 'the three formats give one answer' times 3 'The capital of Norway is Oslo.'
check 'the stream ends' says 'data: [DONE]'
check 'the stream has its usage' says '"choices":[],"usage":{'
check 'the tool is called' says '"finish_reason":"tool_calls"'
check 'the result is told' says 'The weather in Paris is cloudy with 19 degrees.'
check 'the schema is kept' says '{\"name\": \"Beatrix\", \"age\": 29}'
check 'the receipt is finished' says '"status":"finished"'
check 'the balance is in dollars' says '"currency":"USD"'

chat='{"model": "svc-beta", "messages": [{"role": "user", "content": "x"}]}'
first=$(sed "s,http://127.0.0.1:8080,$SVC_URL," first-call.sh | bash 2>/dev/null || true)
check 'the first call that the dashboard shows is answered' grep --quiet '"choices"' <<<"$first"
unknown='{"model": "gpt-9", "messages": [{"role": "user", "content": "x"}]}'
responses='{"model": "svc-beta", "input": "x"}'
messages='{"model": "svc-beta", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}'
check 'another model is 400' refuses 400 /v1/chat/completions "$SVC_KEY" "$unknown"
check 'a wrong key is 401' refuses 401 /v1/chat/completions sk-svc-nobody "$chat"
check 'no credit is 402 in chat' refuses 402 /v1/chat/completions "$SVC_EMPTY_API_KEY" "$chat"
check 'no credit is 402 in responses' refuses 402 /v1/responses "$SVC_EMPTY_API_KEY" "$responses"
check 'no credit is 402 in messages' refuses 402 /v1/messages "$SVC_EMPTY_API_KEY" "$messages"
exit $failed
