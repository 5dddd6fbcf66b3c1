"""docs/python.md: every example of the page runs as it stands, against a site of the check."""

import json
import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import requests

from expect import equal, raised
from target import PAGE, target

PAGE_OF_DOCS = Path(__file__).parents[2] / "docs" / "python.md"


def the_example_with_the_client_of_the_vendor_prints_markdown(service):
    equal(_run(service, _example("geonode_scraper_sdk")), "# Grüße")


def the_example_with_requests_prints_markdown(service):
    equal(_run(service, _example('"metadata"')), "# Grüße")


def the_example_of_a_job_waits_for_its_end(service):
    equal(_run(service, _example("Idempotency-Key")), f"completed {PAGE}")


def the_example_of_a_callback_accepts_what_the_service_sent_and_nothing_else(service):
    names = {}
    exec(_example("def verify"), names)
    verify, secret = names["verify"], os.environ["TRAWL_CALLBACK_SECRET"]

    with target() as origin, _receiver() as (url, received):
        body = {"url": f"{origin}/", "callbackUrl": url}
        path = f"{service.url}/api/scraper/scrape/callback"
        response = requests.post(path, json=body, headers={"X-Api-Key": service.api_key}, timeout=20)
        received.wait()

    headers, posted = received.message
    verify(secret, headers, posted)
    equal(json.loads(posted)["requestId"], response.json()["requestId"])
    raised(ValueError, verify, secret, headers, posted + b" ")
    raised(ValueError, verify, "whsec_" + "A" * 32, headers, posted)
    raised(ValueError, verify, secret, {**headers, "webhook-timestamp": "1"}, posted)


def every_example_of_the_page_is_run_here(service):
    equal(len(_examples()), 4)


def _examples():
    return re.findall(r"```python\n(.*?)```", PAGE_OF_DOCS.read_text(), re.DOTALL)


def _example(part):
    [found] = [one for one in _examples() if part in one]
    return found


def _run(service, example):
    with target() as origin:
        done = subprocess.run(
            [sys.executable, "-X", "utf8", "-c", example.replace("https://example.com", origin)],
            env={"TRAWL_URL": service.url, "TRAWL_API_KEY": service.api_key},
            capture_output=True,
            text=True,
            timeout=60,
        )
    equal((done.returncode, done.stderr), (0, ""))
    return done.stdout.strip()


class _Received:
    def __init__(self):
        self._arrived = threading.Event()
        self.message = None

    def take(self, headers, body):
        self.message = ({name.lower(): value for name, value in headers.items()}, body)
        self._arrived.set()

    def wait(self):
        assert self._arrived.wait(timeout=20), "no callback arrived"


@contextmanager
def _receiver():
    received = _Received()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(204)
            self.end_headers()
            received.take(dict(self.headers), body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
