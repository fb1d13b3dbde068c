"""What the tests make sure of: both verifiers come to the verdicts that they should."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request

URL, KEY = os.environ["SVC_URL"], os.environ["SVC_KEY"]
HERE = os.path.dirname(os.path.abspath(__file__))


def get(path):
    request = urllib.request.Request(URL + path, headers={"Authorization": f"Bearer {KEY}"})
    with urllib.request.urlopen(request) as answer:
        return answer.read().decode()


def ask():
    body = {"model": "svc-beta", "messages": [{"role": "user", "content": "Hello"}]}
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    data = json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{URL}/v1/chat/completions", data, headers)) as answer:
        answer.read()
        return answer.headers["x-request-id"]


class Verifiers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.commands = {"Python": [sys.executable, os.path.join(HERE, "verify.py")]}
        if shutil.which("go"):
            binary = os.path.join(cls.folder.name, "verify")
            subprocess.run(["go", "build", "-o", binary, "."], cwd=HERE, check=True)
            cls.commands["Go"] = [binary]
        cls.request = ask()
        cls.checkpoint = get("/evidence/checkpoint")
        ask()
        cls.key = get("/evidence/key").strip()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path

    def expect(self, text, verdict, what=None, key=None, checkpoint=None):
        given = [] if checkpoint is None else [self.write("checkpoint", checkpoint)]
        for name, command in self.commands.items():
            words = [*command, self.write("evidence.jsonl", text), key or self.key, *given]
            ended = subprocess.run(words, capture_output=True, encoding="utf-8", check=False)
            with self.subTest(name):
                found = json.loads(ended.stdout.splitlines()[-1])
                self.assertEqual(found["verdict"], verdict, ended.stdout)
                self.assertEqual(found["first_broken"] and found["first_broken"]["what"], what)
                self.assertEqual(ended.returncode == 0, verdict == "ok")

    def test_the_account_verifies(self):
        self.expect(get("/v1/evidence"), "ok")

    def test_a_request_verifies(self):
        self.expect(get(f"/v1/requests/{self.request}/evidence"), "ok")

    def test_it_goes_on_from_an_earlier_checkpoint(self):
        size = self.checkpoint.split("\n")[1]
        self.expect(get(f"/v1/evidence?since={size}"), "ok", checkpoint=self.checkpoint)

    def test_a_changed_event_is_named(self):
        self.expect(get("/v1/evidence").replace("AccountOpened", "AccountClosed"), "broken", "price")

    def test_a_missing_event_is_named(self):
        header, *events = get("/v1/evidence").splitlines(keepends=True)
        self.expect("".join([header, *events[:2], *events[3:]]), "broken", "order")
        self.expect("".join([header, *events[:-1]]), "broken", "missing")

    def test_another_key_is_refused(self):
        key = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
        self.expect(get("/v1/evidence"), "broken", "checkpoint", key=key)


if __name__ == "__main__":
    unittest.main()
