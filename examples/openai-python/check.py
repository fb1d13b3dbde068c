"""What the openai package does with the real server."""

import json
import sys
import unittest
from pathlib import Path

import openai
from openai import OpenAI, pydantic_function_tool
from pydantic import BaseModel

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "examples"))
import service  # noqa: E402

client = OpenAI(base_url=f"{service.ROOT_URL}/v1", api_key=service.API_KEY)
ASKED = {"model": service.MODEL, "temperature": 0}


class Person(BaseModel):
    name: str
    age: int


class GetWeather(BaseModel):
    """Get the current weather for a city"""

    city: str


def user(content):
    return [{"role": "user", "content": content}]


def cost(answer):
    return answer.usage.cost


def chat_usage(completion):
    return completion.usage.prompt_tokens, completion.usage.completion_tokens


def response_usage(response):
    return response.usage.input_tokens, response.usage.output_tokens


class Chat(unittest.TestCase):
    def test_a_plain_answer_is_billed_as_its_usage_says(self):
        def work():
            return client.chat.completions.create(**ASKED, messages=user(service.QUESTION))

        completion = service.assert_billed(self, work, chat_usage, cost_of=cost)
        self.assertIn(service.ANSWER, completion.choices[0].message.content)
        self.assertEqual(completion.model, service.MODEL)

    def test_a_stream_helper_is_billed_as_its_usage_says(self):
        deltas = []

        def work():
            with client.chat.completions.stream(
                **ASKED,
                messages=user(service.QUESTION),
                stream_options={"include_usage": True},
            ) as stream:
                deltas.extend(event.delta for event in stream if event.type == "content.delta")
                return stream.get_final_completion()

        completion = service.assert_billed(self, work, chat_usage, cost_of=cost)
        self.assertIn(service.ANSWER, "".join(deltas))
        self.assertEqual(completion.choices[0].message.content, "".join(deltas))
        self.assertGreater(len(deltas), 1)

    def test_a_loop_of_tools(self):
        tools = [pydantic_function_tool(GetWeather, name="get_weather")]
        messages = user(service.WEATHER_QUESTION)
        with client.chat.completions.stream(**ASKED, messages=messages, tools=tools) as stream:
            asking = stream.get_final_completion().choices[0].message
        (call,) = asking.tool_calls
        self.assertEqual(call.function.parsed_arguments.city, "Paris")
        asked = asking.model_dump(exclude_none=True, include={"role", "content", "tool_calls"})
        result = {"role": "tool", "tool_call_id": call.id, "content": service.WEATHER_RESULT}
        told = client.chat.completions.create(
            **ASKED, messages=[*messages, asked, result], tools=tools
        )
        self.assertIn(service.WEATHER_ANSWER, told.choices[0].message.content)

    def test_a_schema_parsed_by_pydantic(self):
        completion = client.chat.completions.parse(
            **ASKED, messages=user(service.PERSON_TEXT), response_format=Person
        )
        self.assertEqual(completion.choices[0].message.parsed, Person(**service.PERSON))

    def test_a_stream_that_is_closed(self):
        schema = {"name": "numbers", "schema": service.LONG_SCHEMA}

        def work():
            with client.chat.completions.create(
                **ASKED,
                messages=user(service.LONG_QUESTION),
                max_completion_tokens=service.LONG_TOKENS_MAX,
                response_format={"type": "json_schema", "json_schema": schema},
                stream=True,
            ) as stream:
                for chunk in stream:
                    if chunk.choices and chunk.choices[0].delta.content:
                        break

        service.assert_stopped(self, work)


class Responses(unittest.TestCase):
    def test_a_plain_answer_is_billed_as_its_usage_says(self):
        def work():
            return client.responses.create(**ASKED, input=service.QUESTION)

        response = service.assert_billed(self, work, response_usage, cost_of=cost)
        self.assertIn(service.ANSWER, response.output_text)

    def test_a_stream_helper_is_billed_as_its_usage_says(self):
        deltas = []

        def work():
            with client.responses.stream(**ASKED, input=service.QUESTION) as stream:
                for event in stream:
                    if event.type == "response.output_text.delta":
                        deltas.append(event.delta)
                return stream.get_final_response()

        response = service.assert_billed(self, work, response_usage, cost_of=cost)
        self.assertEqual(response.output_text, "".join(deltas))
        self.assertIn(service.ANSWER, response.output_text)

    def test_a_loop_of_tools_that_goes_on_from_the_stored_response(self):
        weather = {
            "type": "function",
            "name": "get_weather",
            "description": "Get the current weather for a city",
            "parameters": service.WEATHER_SCHEMA,
            "strict": True,
        }
        asking = client.responses.create(**ASKED, input=service.WEATHER_QUESTION, tools=[weather])
        (call,) = (item for item in asking.output if item.type == "function_call")
        self.assertEqual(json.loads(call.arguments), {"city": "Paris"})
        result = {
            "type": "function_call_output",
            "call_id": call.call_id,
            "output": service.WEATHER_RESULT,
        }
        told = client.responses.create(
            **ASKED, input=[result], previous_response_id=asking.id, tools=[weather]
        )
        self.assertIn(service.WEATHER_ANSWER, told.output_text)

    def test_a_schema_parsed_by_pydantic(self):
        response = client.responses.parse(**ASKED, input=service.PERSON_TEXT, text_format=Person)
        self.assertEqual(response.output_parsed, Person(**service.PERSON))

    def test_a_stream_that_is_closed(self):
        text = {"format": {"type": "json_schema", "name": "n", "schema": service.LONG_SCHEMA}}

        def work():
            with client.responses.create(
                **ASKED,
                input=service.LONG_QUESTION,
                max_output_tokens=service.LONG_TOKENS_MAX,
                text=text,
                stream=True,
            ) as stream:
                for event in stream:
                    if event.type == "response.output_text.delta":
                        break

        service.assert_stopped(self, work)


class Refusals(unittest.TestCase):
    asks = {
        "chat": lambda to, **more: to.chat.completions.create(
            **{"model": service.MODEL, "messages": user("x"), **more}
        ),
        "responses": lambda to, **more: to.responses.create(
            **{"model": service.MODEL, "input": "x", **more}
        ),
    }

    def refused(self, to, error_class, status, code, **more):
        for name, ask in self.asks.items():
            with self.subTest(name):
                error = service.assert_refused_once(
                    self, lambda ask=ask: ask(to, **more), error_class, status
                )
                self.assertEqual(error.code, code)

    def test_400_is_a_bad_request_error_tried_once(self):
        self.refused(client, openai.BadRequestError, 400, "model_not_found", model="gpt-9")

    def test_401_is_an_authentication_error_tried_once(self):
        nobody = client.with_options(api_key=service.WRONG_API_KEY)
        self.refused(nobody, openai.AuthenticationError, 401, "invalid_api_key")

    def test_402_is_a_status_error_tried_once(self):
        poor = client.with_options(api_key=service.EMPTY_API_KEY)
        self.refused(poor, openai.APIStatusError, 402, "insufficient_quota")
        self.refused(poor, openai.APIStatusError, 402, "insufficient_quota", stream=True)


class SideRoutes(unittest.TestCase):
    def test_the_models_are_listed(self):
        self.assertEqual([model.id for model in client.models.list()], [service.MODEL])


if __name__ == "__main__":
    unittest.main()
