"""What LangChain does with the real server, in each of the formats that it speaks."""

import sys
import unittest
from pathlib import Path

import anthropic
import openai
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "examples"))
import service  # noqa: E402

BASICS = {
    "model": service.MODEL,
    "api_key": service.API_KEY,
    "temperature": 0,
    "max_tokens": 200,
}


class Person(BaseModel):
    name: str
    age: int


@tool
def get_weather(city: str) -> str:
    """Get the current weather for a city"""
    return service.WEATHER_RESULT


def usage(message):
    return message.usage_metadata["input_tokens"], message.usage_metadata["output_tokens"]


class Format:
    """What holds in each format; a subclass says which, and is the test case."""

    errors = openai

    def model_of(self, **given):
        given = {**BASICS, "stream_usage": True, **given}
        return ChatOpenAI(**given, base_url=f"{service.ROOT_URL}/v1")

    def setUp(self):
        self.model = self.model_of()

    def test_a_plain_answer_is_billed_as_its_usage_says(self):
        message = service.assert_billed(self, lambda: self.model.invoke(service.QUESTION), usage)
        self.assertIn(service.ANSWER, message.text)

    def test_a_stream_is_billed_as_its_usage_says(self):
        def work():
            chunks = list(self.model.stream(service.QUESTION))
            self.assertGreater(len(chunks), 1)
            return sum(chunks[1:], chunks[0])

        message = service.assert_billed(self, work, usage)
        self.assertIn(service.ANSWER, message.text)

    def test_an_object_by_its_schema(self):
        structured = self.model.with_structured_output(Person, method="json_schema")
        self.assertEqual(structured.invoke(service.PERSON_TEXT), Person(**service.PERSON))

    def test_an_object_by_a_tool(self):
        structured = self.model.with_structured_output(Person, method="function_calling")
        self.assertIsInstance(structured.invoke(service.PERSON_TEXT), Person)

    def test_a_loop_of_tools(self):
        with_tools = self.model.bind_tools([get_weather])
        question = HumanMessage(service.WEATHER_QUESTION)
        asking = with_tools.invoke([question])
        (call,) = asking.tool_calls
        self.assertEqual(call["args"], {"city": "Paris"})
        told = with_tools.invoke([question, asking, get_weather.invoke(call)])
        self.assertIn(service.WEATHER_ANSWER, told.text)

    def test_a_streamed_call(self):
        chunks = list(self.model.bind_tools([get_weather]).stream(service.WEATHER_QUESTION))
        (call,) = sum(chunks[1:], chunks[0]).tool_calls
        self.assertEqual((call["name"], call["args"]), ("get_weather", {"city": "Paris"}))

    def test_a_stream_that_is_left(self):
        numbers = {"title": "numbers", "description": "Tell numbers", **service.LONG_SCHEMA}
        model = self.model_of(max_tokens=service.LONG_TOKENS_MAX)
        forced = model.bind_tools([numbers], tool_choice="numbers")

        def work():
            stream = forced.stream(service.LONG_QUESTION)
            next(stream)
            next(stream)
            stream.close()

        service.assert_stopped(self, work)

    def test_refusals_have_the_class_of_the_client_and_are_tried_once(self):
        errors = self.errors
        payment = getattr(errors, "PaymentRequiredError", errors.APIStatusError)
        for status, error_class, given in (
            (400, errors.BadRequestError, {"model": "gpt-9"}),
            (401, errors.AuthenticationError, {"api_key": service.WRONG_API_KEY}),
            (402, payment, {"api_key": service.EMPTY_API_KEY}),
        ):
            with self.subTest(status):
                model = self.model_of(**given)
                service.assert_refused_once(
                    self, lambda model=model: model.invoke("x"), error_class, status
                )


class ChatCompletions(Format, unittest.TestCase):
    pass


class Responses(Format, unittest.TestCase):
    def model_of(self, **given):
        return super().model_of(**given, use_responses_api=True)


class Messages(Format, unittest.TestCase):
    errors = anthropic

    def model_of(self, **given):
        return ChatAnthropic(**{**BASICS, **given}, base_url=service.ROOT_URL)


if __name__ == "__main__":
    unittest.main()
