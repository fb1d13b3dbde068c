"""What the Anthropic SDK does with the real server."""

import sys
import unittest
from pathlib import Path

import anthropic
from anthropic import Anthropic, beta_tool
from pydantic import BaseModel

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "examples"))
import service  # noqa: E402

client = Anthropic(base_url=service.ROOT_URL, api_key=service.API_KEY)
# The temperature is no argument any more; the service takes it all the same.
SURE = {"model": service.MODEL, "extra_body": {"temperature": 0}}
ASKED = {**SURE, "max_tokens": 200}
LONG = {
    **SURE,
    "max_tokens": service.LONG_TOKENS_MAX,
    "messages": [{"role": "user", "content": service.LONG_QUESTION}],
    "output_config": {"format": {"type": "json_schema", "schema": service.LONG_SCHEMA}},
}


class Person(BaseModel):
    name: str
    age: int


def user(content):
    return [{"role": "user", "content": content}]


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def cost(message):
    return message.usage.cost


def usage(message):
    return message.usage.input_tokens, message.usage.output_tokens


class Answers(unittest.TestCase):
    def test_a_plain_answer_is_billed_as_its_usage_says(self):
        def work():
            return client.messages.create(**ASKED, messages=user(service.QUESTION))

        message = service.assert_billed(self, work, usage, cost_of=cost)
        self.assertIn(service.ANSWER, text_of(message))
        self.assertEqual(message.stop_reason, "end_turn")

    def test_a_stream_helper_is_billed_as_its_usage_says(self):
        deltas = []

        def work():
            with client.messages.stream(**ASKED, messages=user(service.QUESTION)) as stream:
                deltas.extend(stream.text_stream)
                return stream.get_final_message()

        message = service.assert_billed(self, work, usage)
        self.assertIn(service.ANSWER, text_of(message))
        self.assertEqual(text_of(message), "".join(deltas))
        self.assertGreater(len(deltas), 1)

    def test_thinking_comes_as_a_block_of_its_own(self):
        message = client.messages.create(
            **{**ASKED, "max_tokens": 2000},
            messages=user("Which number is larger, 45 or 54?"),
            thinking={"type": "enabled", "budget_tokens": 1024},
        )
        self.assertEqual([block.type for block in message.content], ["thinking", "text"])

    def test_a_schema_parsed_by_pydantic(self):
        asked = {**ASKED, "messages": user(service.PERSON_TEXT), "output_format": Person}
        self.assertEqual(client.messages.parse(**asked).parsed_output, Person(**service.PERSON))
        with client.messages.stream(**asked) as stream:
            streamed = stream.get_final_message()
        self.assertEqual(streamed.parsed_output, Person(**service.PERSON))


class Tools(unittest.TestCase):
    def test_a_loop_with_the_tool_runner(self):
        for stream in (False, True):
            with self.subTest(stream=stream):
                self.run_loop(stream)

    def run_loop(self, stream):
        cities = []

        @beta_tool
        def get_weather(city: str) -> str:
            """Get the current weather for a city"""
            cities.append(city)
            return service.WEATHER_RESULT

        def work():
            runner = client.beta.messages.tool_runner(
                **ASKED,
                messages=user(service.WEATHER_QUESTION),
                tools=[get_weather],
                stream=stream,
            )
            self.assertIn(service.WEATHER_ANSWER, text_of(runner.until_done()))

        attempts = service.attempts_of(work)
        self.assertEqual(cities, ["Paris"])
        # It first asks for a thread, and goes on without one when it is refused.
        served = [attempt for attempt in attempts if attempt["status"] == 200]
        self.assertEqual(len(served), 2)
        self.assertLessEqual(len(attempts), 3)

    def test_a_streamed_call_that_is_forced(self):
        weather = {"name": "get_weather", "input_schema": service.WEATHER_SCHEMA}
        with client.messages.stream(
            **ASKED,
            messages=user(service.WEATHER_QUESTION),
            tools=[{**weather, "description": "Get the current weather for a city"}],
            tool_choice={"type": "tool", "name": "get_weather"},
        ) as stream:
            message = stream.get_final_message()
        self.assertEqual(message.stop_reason, "tool_use")
        self.assertEqual(message.content[0].input, {"city": "Paris"})


class BrokenOff(unittest.TestCase):
    def test_a_stream_that_is_closed(self):
        def work():
            with client.messages.create(**LONG, stream=True) as stream:
                for event in stream:
                    if event.type == "content_block_delta":
                        break

        service.assert_stopped(self, work)

    def test_a_helper_that_is_left(self):
        def work():
            with client.messages.stream(**LONG) as stream:
                next(iter(stream.text_stream))

        service.assert_stopped(self, work)


class Refusals(unittest.TestCase):
    def refused(self, to, error_class, status, kind, **more):
        def work():
            return to.messages.create(**{**ASKED, "messages": user("x"), **more})

        error = service.assert_refused_once(self, work, error_class, status)
        self.assertEqual(error.body["error"]["type"], kind)

    def test_400_is_a_bad_request_error_tried_once(self):
        self.refused(client, anthropic.BadRequestError, 400, "not_found_error", model="claude-9")
        self.refused(client, anthropic.BadRequestError, 400, "invalid_request_error", max_tokens=0)

    def test_401_is_an_authentication_error_tried_once(self):
        nobody = client.with_options(api_key=service.WRONG_API_KEY)
        self.refused(nobody, anthropic.AuthenticationError, 401, "authentication_error")

    def test_402_is_a_payment_required_error_tried_once(self):
        poor = client.with_options(api_key=service.EMPTY_API_KEY)
        self.refused(poor, anthropic.PaymentRequiredError, 402, "billing_error")
        self.refused(poor, anthropic.PaymentRequiredError, 402, "billing_error", stream=True)


class SideRoutes(unittest.TestCase):
    def test_the_models_are_listed(self):
        self.assertEqual([model.id for model in client.models.list()], [service.MODEL])

    def test_tokens_are_counted_as_they_are_billed(self):
        messages = user(service.QUESTION)
        counted = client.messages.count_tokens(model=service.MODEL, messages=messages)
        billed = client.messages.create(**ASKED, messages=messages)
        self.assertEqual(counted.input_tokens, billed.usage.input_tokens)


if __name__ == "__main__":
    unittest.main()
