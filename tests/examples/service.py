"""What the checks of all Python clients use: what to ask the demo model, and what the service
itself says about a request. The base URL is that of the counting proxy."""

import json
import os
import time
import urllib.request

ROOT_URL = os.environ["SVC_URL"]
API_KEY = os.environ["SVC_KEY"]
# Of an account without credit.
EMPTY_API_KEY = os.environ["SVC_EMPTY_API_KEY"]
WRONG_API_KEY = "sk-svc-nobody-has-this-key"
MODEL = "svc-beta"

QUESTION = "What is the capital city of Norway?"
ANSWER = "Oslo"
WEATHER_QUESTION = "What is the weather in Paris?"
WEATHER_RESULT = json.dumps({"temperature": 19, "condition": "cloudy"})
WEATHER_ANSWER = "19"
WEATHER_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
PERSON_TEXT = "Extract the name and age as JSON: Beatrix is 29 years old and likes kayaks."
PERSON = {"name": "Beatrix", "age": 29}
# Makes an answer that takes seconds, so that there is time to break it off.
LONG_QUESTION = "Count from 1 to 100"
LONG_SCHEMA = {
    "type": "object",
    "properties": {"numbers": {"type": "array", "items": {"type": "integer"}, "minItems": 600}},
    "required": ["numbers"],
    "additionalProperties": False,
}
LONG_TOKENS_MAX = 3000
TIMEOUT_S = 30
ENDED_TRIES_MAX = 100
ENDED_PAUSE_S = 0.1


def take_attempts():
    """The attempts since the last call, oldest first."""
    return _get("/attempts")


def attempts_of(work):
    """Forgets what was sent before, runs `work`, and returns the attempts that it made."""
    take_attempts()
    work()
    return take_attempts()


def receipt_of(request_id):
    return _get(f"/v1/requests/{request_id}")


def assert_billed(case, work, usage_of, answers=1, cost_of=None):
    """The usage that the client shows, input, output and cost, is what was billed."""
    take_attempts()
    result = work()
    attempts = take_attempts()
    case.assertEqual(len(attempts), answers)
    receipt = receipt_of(attempts[-1]["requestId"])
    case.assertEqual(receipt["status"], "finished")
    billed = receipt["usage"]
    whole_input = billed["input_tokens"] + billed["cached_input_tokens"]
    case.assertEqual(usage_of(result), (whole_input, billed["output_tokens"]))
    if cost_of is not None:
        case.assertEqual(cost_of(result), receipt["amount"])
    return result


def assert_stopped(case, work):
    """A run that was broken off is stopped, and charged for what was computed until then."""
    attempts = attempts_of(work)
    case.assertEqual(len(attempts), 1)
    receipt = _ended_receipt(attempts[0]["requestId"])
    case.assertEqual(receipt["status"], "stopped")
    case.assertLess(receipt["usage"]["output_tokens"], LONG_TOKENS_MAX)


def assert_refused_once(case, work, error_class, status):
    """`work` fails with the class and the status, and is tried exactly once."""
    take_attempts()
    with case.assertRaises(error_class) as raised:
        work()
    case.assertEqual(raised.exception.status_code, status)
    case.assertEqual([attempt["status"] for attempt in take_attempts()], [status])
    return raised.exception


def _ended_receipt(request_id):
    for _ in range(ENDED_TRIES_MAX):
        receipt = receipt_of(request_id)
        if receipt["status"] != "running":
            return receipt
        time.sleep(ENDED_PAUSE_S)
    raise TimeoutError(f"{request_id} still runs")


def _get(path):
    headers = {"authorization": f"Bearer {API_KEY}"}
    request = urllib.request.Request(ROOT_URL + path, headers=headers)
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
        return json.load(response)
