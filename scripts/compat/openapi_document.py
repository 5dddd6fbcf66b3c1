"""The OpenAPI document: a public validator accepts it, and a client generated from it can authenticate.

The client has only the document to know which credentials an operation takes, where they go, and which
responses it has; a response that the document does not describe raises an exception.
"""

import time

import urllib3
from aiopenapi3 import OpenAPI
from aiopenapi3.errors import HTTPClientError
from openapi_spec_validator import OpenAPIV31SpecValidator

from expect import equal, raised

UNKNOWN = "01890000-0000-7000-8000-000000000000"
WEBHOOK = {"url": "http://127.0.0.1:8099/", "event_type": "extract_completed"}


def the_document_is_valid_openapi(service):
    document = urllib3.request("GET", f"{service.url}/openapi.json", timeout=10).json()

    equal([error.message for error in OpenAPIV31SpecValidator(document).iter_errors()], [])


def a_generated_client_reads_health_without_credentials(service):
    client = _client(service)

    equal(client._.getLivez().status, "alive")
    equal(client._.getReadyz().status, "ready")
    equal(client._.getHealth().service, "trawl")


def a_generated_client_authenticates_with_the_password_on_every_route(service):
    client = _client(service, basicAuth=service.password)

    equal(client._.listWhitelistedIps().data, [])
    equal(client._.listTasks().page, 1)
    equal(client._.listWebhooks().items, [])
    equal(_refusal(client._.getExtractJob, job_id=UNKNOWN), (404, "NOT_FOUND"))


def a_generated_client_authenticates_with_a_key_in_either_header(service):
    for scheme in ("apiKeyAuth", "bearerAuth"):
        client = _client(service, **{scheme: service.api_key})

        created = client._.createWebhook(data=WEBHOOK)
        found = client._.getWebhook(parameters={"webhook_id": created.id})
        client._.deleteWebhook(parameters={"webhook_id": created.id})

        equal((found.id, found.url), (created.id, WEBHOOK["url"]))
        equal(client._.listTasks().page, 1)
        equal(_refusal(client._.createWebhook, url="http://169.254.169.254/"), (422, "URL_NOT_ALLOWED"))


def a_generated_client_knows_which_operations_accept_no_key(service):
    for scheme in ("apiKeyAuth", "bearerAuth"):
        client = _client(service, **{scheme: service.api_key})

        refused = raised(ValueError, client._.listWhitelistedIps)

        assert "No security requirement satisfied" in str(refused), refused


def a_generated_client_gets_401_with_a_wrong_key_or_signature(service):
    wrong_key = _client(service, apiKeyAuth="wrong")
    wrong_link = _client(service, signedLink="wrong")

    equal(_refusal(wrong_key._.listWebhooks), (401, "UNAUTHORIZED"))
    equal(_refusal(wrong_link._.getTaskScreenshot, request_id=UNKNOWN), (401, "UNAUTHORIZED"))


def a_generated_client_needs_no_credentials_from_a_whitelisted_address(service):
    owner, anonymous = _client(service, basicAuth=service.password), _client(service)
    equal(_refusal(anonymous._.listTasks), (401, "UNAUTHORIZED"))
    raised(ValueError, anonymous._.listWebhooks)

    owner._.addWhitelistedIps(data={"ips": [{"ip": "127.0.0.1"}]})
    try:
        _soon(lambda: equal(anonymous._.listTasks().page, 1))
    finally:
        owner._.removeWhitelistedIps(data={"ips": [{"ip": "127.0.0.1"}]})
    _soon(lambda: equal(_refusal(anonymous._.listTasks), (401, "UNAUTHORIZED")))


def _client(service, **credentials):
    client = OpenAPI.load_sync(f"{service.url}/openapi.json")
    client.authenticate(**credentials)
    return client


def _refusal(call, **given):
    """Status and code of a refused call; `url` goes into the body of a webhook, all else into the path."""
    if "url" in given:
        refused = raised(HTTPClientError, call, data={**WEBHOOK, **given})
    else:
        refused = raised(HTTPClientError, call, parameters=given)
    return refused.status_code, refused.data.code


def _soon(check, within_seconds=5):
    """Retries: other processes see a change of the whitelist within seconds."""
    deadline = time.monotonic() + within_seconds
    while True:
        try:
            return check()
        except (AssertionError, HTTPClientError):
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)
