"""A web site on loopback for the service to fetch from."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = "<h1>Grüße</h1>"
DOCUMENT = '{"fish": ["cod"]}'


@contextmanager
def target():
    """Yields the origin; `/held` gets no response before the end."""
    end = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(end))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        end.set()
        server.shutdown()
        thread.join()
        server.server_close()


LINKED = {
    "/": '<h1>Start</h1><a href="/one">one</a> <a href="/two?page=2">two</a>',
    "/one": '<h1>One</h1><a href="/">start</a> <a href="/two?page=2">two</a>',
    "/two?page=2": "<h1>Two</h1>",
}


@contextmanager
def linked_site():
    """Yields the origin of a site whose pages link to each other; it has no robots.txt and no sitemap."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = LINKED.get(self.path, "").encode()
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(end):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/held":
                end.wait(timeout=30)
                return
            kind, text = ("text/html", PAGE) if self.path == "/" else ("application/json", DOCUMENT)
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler
