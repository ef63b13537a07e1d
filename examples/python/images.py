"""Draws an image with the standard library alone: python3 images.py 'a red fox' fox.png"""
import json
import os
import sys
import time
import urllib.error
import urllib.request

BASE_URL = os.environ.get("MODELRUN_BASE_URL", "http://127.0.0.1:4010")
KEY = os.environ["MODELRUN_API_KEY"]


def call(method, path, body=None):
    headers = {"authorization": "Bearer " + KEY, "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE_URL + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=90) as response:
        return json.load(response)


def run(model, payload, deadline=600):
    """Sends a run once. When its response is lost it may have been paid, so it is not sent again."""
    job = call("POST", "/v1/models/" + model + "/run", {"input": payload, "sync": False})
    end = time.monotonic() + deadline
    while time.monotonic() < end:
        try:
            state = call("GET", "/v1/jobs/" + job["job_id"])["data"]
        except urllib.error.HTTPError as error:
            # A poll costs nothing: it is repeated.
            if error.code != 429 and error.code < 500:
                raise
            time.sleep(float(error.headers.get("retry-after", 1)))
            continue
        if state["status"] == "succeeded":
            return state["output"]["items"]
        if state["status"] in ("failed", "cancelled"):
            raise RuntimeError(state.get("error", {}).get("message", "the job was cancelled"))
        time.sleep(0.2)
    raise TimeoutError("The job " + job["job_id"] + " still runs.")


if __name__ == "__main__":
    prompt, path = sys.argv[1:]
    [item] = run("aurora-image", {"prompt": prompt})
    urllib.request.urlretrieve(item["url"], path)
    print(path)
