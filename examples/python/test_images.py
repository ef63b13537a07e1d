"""python3 -m unittest: the program against a server that has the whole service."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.request

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "images.py")
SERVER = ["npx", "@modelrun/reference-server", "--port", "0", "--json", "--latency", "100", "--exit-with-parent"]


class ImagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.ready = json.loads(cls.server.stdout.readline())

    @classmethod
    def tearDownClass(cls):
        cls.server.communicate()  # closes its standard input, which ends it

    def setUp(self):
        self.control("reset")

    def control(self, path, body=None):
        headers = {"authorization": "Bearer " + self.ready["key"], "content-type": "application/json"}
        data = json.dumps(body or {}).encode()
        urllib.request.urlopen(urllib.request.Request(self.ready["url"] + "/_reference/" + path, data, headers)).close()

    def draw(self, path):
        environment = dict(os.environ, MODELRUN_BASE_URL=self.ready["url"], MODELRUN_API_KEY=self.ready["key"])
        return subprocess.run([sys.executable, PROGRAM, "a red fox", path], env=environment, capture_output=True, text=True)

    def test_a_image_is_saved(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "fox.png")
            self.assertEqual(self.draw(path).stdout, path + "\n")
            with open(path, "rb") as image:
                self.assertEqual(image.read(8), b"\x89PNG\r\n\x1a\n")

    def test_a_service_that_fails_for_a_moment_is_polled_again(self):
        self.control("faults", {"kind": "unavailable", "route": "getJob", "times": 1, "retry_after": 1})
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.draw(os.path.join(folder, "fox.png")).returncode, 0)

    def test_a_failed_job_says_why(self):
        error = {"code": "PROVIDER_FAILURE", "message": "out of paint"}
        self.control("scripts", {"model": "aurora-image", "outcomes": [{"result": "failed", "error": error}]})
        self.assertIn("out of paint", self.draw("fox.png").stderr)


if __name__ == "__main__":
    unittest.main()
