"""What a client in another language does, with the standard library alone. `test_images.py` is from the guide."""
import unittest
import urllib.request

from test_images import ServiceTest


class RunTest(ServiceTest):
    RUN = "/v1/models/aurora-image/run"
    INPUT = {"prompt": "a red fox"}

    def start(self, **members):
        return self.call("POST", self.RUN, {"input": self.INPUT, **members})

    def read(self, job):
        return self.call("GET", "/v1/jobs/" + job["job_id"])[1]["data"]

    def test_models_are_listed_and_described(self):
        status, page = self.call("GET", "/v1/models?category=text-to-image&limit=2&offset=1")
        self.assertEqual((status, len(page["models"]), page["limit"], page["offset"]), (200, 2, 2, 1))
        self.assertNotIn("input_schema", page["models"][0])
        _, model = self.call("GET", "/v1/models/aurora-image")
        self.assertEqual((model["input_schema"]["required"], model["pricing"]["credits_per_run"]), (["prompt"], 4))

    def test_a_synchronous_run_ends_with_an_image(self):
        status, run = self.start()
        self.assertEqual((status, run["status"], run["credits_used"]), (200, "completed", 4))
        with urllib.request.urlopen(run["output"]["items"][0]["url"]) as image:
            self.assertEqual(image.read(8), b"\x89PNG\r\n\x1a\n")

    def test_an_asynchronous_run_is_polled(self):
        script = {"model": "aurora-image", "outcomes": [{"result": "succeeded", "after_polls": 2}]}
        self.assertEqual(self.call("POST", "/_reference/scripts", script), (200, {"waiting": 1}))
        status, job = self.start(sync=False)
        self.assertEqual((status, job["status"], job["model_id"]), (202, "queued", "aurora-image"))
        statuses = [self.read(job)["status"] for _ in range(3)]
        self.assertEqual(statuses[-1], "succeeded")
        self.assertNotIn("succeeded", statuses[:-1])

    def test_a_job_is_cancelled_and_costs_nothing(self):
        script = {"model": "aurora-image", "outcomes": [{"result": "hang"}]}
        self.call("POST", "/_reference/scripts", script)
        before = self.call("GET", "/_reference/keys")[1]["credits"]
        _, job = self.start(sync=False)
        self.assertEqual(self.call("DELETE", "/v1/jobs/" + job["job_id"])[0], 200)
        self.assertEqual(self.read(job)["status"], "cancelled")
        self.assertEqual(self.call("GET", "/_reference/keys")[1]["credits"], before)

    def test_time_is_moved(self):
        script = {"model": "aurora-image", "outcomes": [{"result": "succeeded", "after_ms": 3_600_000}]}
        self.call("POST", "/_reference/scripts", script)
        _, job = self.start(sync=False)
        status, _ = self.call("POST", "/_reference/clock", {"advance_ms": 3_600_000})
        self.assertEqual((status, self.read(job)["status"]), (200, "succeeded"))

    def test_a_fault_applies_once(self):
        fault = {"kind": "unavailable", "route": "runModel", "times": 1, "retry_after": 2}
        self.call("POST", "/_reference/faults", fault)
        self.assertEqual([self.start()[0], self.start()[0]], [503, 200])

    def test_a_delivery_is_waited_for(self):
        url, bodies = self.receive_webhooks()
        self.call("POST", "/_reference/webhooks", {"deliveries": 2})
        _, job = self.start(webhook_url=url)
        query = {"job_id": job["job_id"], "timeout_ms": 5000}
        responses = [self.call("POST", "/_reference/deliveries/next", query)[1] for _ in range(2)]
        outcomes = [response["delivery"]["outcome"] for response in responses]
        self.assertEqual((outcomes, bodies.qsize()), (["delivered", "delivered"], 2))

    def test_a_failure_is_delivered_too(self):
        url, bodies = self.receive_webhooks()
        error = {"code": "PROVIDER_FAILURE", "message": "out of paint"}
        script = {"model": "aurora-image", "outcomes": [{"result": "failed", "error": error}]}
        self.call("POST", "/_reference/scripts", script)
        _, job = self.start(webhook_url=url)
        self.assertEqual(bodies.get(timeout=10), {"job_id": job["job_id"], "status": "failed", "error": error})

    def test_errors_have_a_code_and_a_message(self):
        _, poor = self.call("POST", "/_reference/keys", {"permissions": ["models:read"]})
        rejected = {
            "wrong key": (self.call("GET", "/v1/models", key="sk_test_wrong"), 401, "UNAUTHORIZED"),
            "no permission": (self.call("POST", self.RUN, {"input": self.INPUT}, key=poor["key"]), 403, "FORBIDDEN"),
            "no such job": (self.call("GET", "/v1/jobs/job_none"), 404, "NOT_FOUND"),
            "bad input": (self.call("POST", self.RUN, {"input": {"promt": "x"}}), 400, "VALIDATION_ERROR"),
            "control API": (self.call("POST", "/_reference/faults", {"kind": "unavailabel"}), 400, "VALIDATION_ERROR"),
        }
        for name, ((status, body), expected_status, code) in rejected.items():
            with self.subTest(name):
                self.assertEqual((status, body["error"]["code"]), (expected_status, code))
                self.assertEqual(set(body), {"error"})
                self.assertTrue(body["error"]["message"])


if __name__ == "__main__":
    unittest.main()
