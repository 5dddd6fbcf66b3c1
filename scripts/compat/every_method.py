"""Every method of the client is called by a check or listed in later.py."""

import inspect
import re

import geonode_scraper_sdk
import urllib3

from expect import equal
from later import LATER

# Each method exists three times: parsed, parsed with status and headers, and unparsed.
FORMS = ("", "_with_http_info", "_without_preload_content")


def every_method_of_the_client_is_called_here_or_listed_as_later(service):
    later = {(api, name + form) for api, names in LATER.items() for name in names for form in FORMS}

    uncalled = _methods_of_the_client() - service.called - later

    equal(sorted(uncalled), [])


def what_is_listed_as_later_is_a_method_of_the_client_with_that_route(_service):
    for api, routes in LATER.items():
        for name, route in routes.items():
            assert (api, name) in _methods_of_the_client(), f"{api} has no {name}"
            equal(_route_of(api, name), route)


def what_is_listed_as_later_is_not_served_yet(service):
    response = urllib3.request("GET", f"{service.url}/openapi.json", timeout=10)
    served = {
        f"{method.upper()} {path}"
        for path, methods in response.json()["paths"].items()
        for method in methods
    }

    assert "GET /v1/webhooks/{webhook_id}" in served, served
    equal(sorted(served & {route for names in LATER.values() for route in names.values()}), [])


def _methods_of_the_client():
    return {
        (api, name)
        for api, kind in inspect.getmembers(geonode_scraper_sdk, inspect.isclass)
        if api.endswith("Api")
        for name, _ in inspect.getmembers(kind, callable)
        if not name.startswith("_")
    }


def _route_of(api, name):
    """Reads the route from the client's source, the only place that has it."""
    source = inspect.getsource(getattr(getattr(geonode_scraper_sdk, api), f"_{name}_serialize"))
    method = re.search(r"method='(\w+)'", source)[1]
    path = re.search(r"resource_path='([^']+)'", source)[1]
    return f"{method} {path}"
