"""A Python client that openapi-python-client generates from the OpenAPI document.

It is used on every family but events, which never end, and MCP, which has clients of its own.
The generator says what it cannot read, and the client reads a response only by the schema of its status.
"""

import atexit
import shutil
import subprocess
import sys
import tempfile
from base64 import b64encode
from functools import cache
from importlib import import_module
from pathlib import Path
from time import monotonic, sleep

from expect import equal
from target import PAGE, linked_site, target

UNKNOWN = "01890000-0000-7000-8000-000000000000"
NAME = "trawl_client"
# The generator knows no images; their bytes are the content of the response all the same.
CONFIG = """\
content_type_overrides:
  image/*: application/octet-stream
post_hooks: []
"""


def the_generator_reads_the_whole_document(service):
    _, output = _generated(service.url)

    equal([line for line in output.splitlines() if "arning" in line or "Unable" in line], [])


def the_generated_client_has_a_method_for_every_operation(service):
    folder, _ = _generated(service.url)
    document = _client(service).get_httpx_client().get("/openapi.json").json()
    ids = {
        operation["operationId"]
        for methods in document["paths"].values()
        for operation in methods.values()
    }

    modules = [path for path in Path(folder, NAME, "api").glob("*/*.py") if path.stem != "__init__"]

    equal(len(modules), len(ids))


def the_generated_client_reads_the_state_of_the_service(service):
    client = _client(service)

    equal(_call(client, "service", "get_livez").status, "alive")
    equal(_call(client, "service", "get_health").service, "trawl")
    equal(_call(client, "service", "get_capabilities").store, "sqlite")
    assert _call(client, "service", "get_pressure").accepting


def the_generated_client_extracts_a_page_now_and_later(service):
    client = _client(service)
    with target() as origin:
        body = _model("ExtractRequest", {"url": f"{origin}/", "formats": ["html", "markdown"]})
        now = _call(client, "extract_jobs", "extract_page", body=body)
        later = _model("ExtractRequest", {"url": f"{origin}/", "processing_mode": "async"})
        accepted = _call(client, "extract_jobs", "extract_page", body=later, idempotency_key="one")
        job = _until_ended(client, "extract_jobs", "get_extract_job", job_id=accepted.job_id)

    equal((now.data.html, now.metadata.http_status, now.tokens_charged), (PAGE, 200, 1))
    equal((job.status, job.data.html), ("completed", PAGE))
    listed = _call(client, "extract_jobs", "list_extract_jobs", page_size=1)
    equal((listed.page, len(listed.jobs)), (1, 1))


def the_generated_client_scrapes_in_both_modes(service):
    client = _client(service)
    with target() as origin:
        options = {"configurations": {"response_format": "json"}}
        body = _model("RealtimeScrape", {"url": f"{origin}/", **options})
        now = _call(client, "scrape", "run_realtime_scrape", body=body)
        body = _model("CallbackScrape", {"url": f"{origin}/", "callbackUrl": f"{origin}/callback"})
        accepted = _call(client, "scrape", "submit_callback_scrape", body=body)
        task = _call(client, "scrape", "get_task", request_id=str(accepted.request_id))

    equal((now.status_code, now.html), (200, PAGE))
    equal(task.request_id, accepted.request_id)


def the_generated_client_runs_a_batch_a_crawl_and_a_map(service):
    client = _client(service)
    with linked_site() as origin:
        body = _model("BatchRequest", {"urls": [f"{origin}/", f"{origin}/one"]})
        batch_id = _call(client, "batches", "create_batch", body=body).job_id
        batch = _until_ended(client, "batches", "get_batch", job_id=batch_id)
        body = _model("CrawlRequest", {"url": f"{origin}/", "depth": 2})
        crawl_id = _call(client, "crawls", "create_crawl", body=body).job_id
        crawl = _until_ended(client, "crawls", "get_crawl", job_id=crawl_id)
        body = _model("MapRequest", {"url": f"{origin}/"})
        site = _call(client, "maps", "map_site_urls", body=body)

    equal((batch.status, batch.completed_urls), ("completed", 2))
    equal((crawl.status, crawl.results[0].depth), ("completed", 1))
    assert site.success and len(site.links) == site.metadata.links_count
    for tag, operation in (
        ("batches", "list_batches"),
        ("crawls", "list_crawls"),
        ("maps", "list_maps"),
    ):
        assert _call(client, tag, operation, page_size=5).page_count >= 1


def the_generated_client_reads_statistics_usage_and_searches(service):
    client = _client(service)

    assert _call(client, "statistics_and_usage", "get_statistics").extraction_count >= 0
    assert _call(client, "statistics_and_usage", "get_concurrency_usage").work_concurrency_limit > 0
    equal(_call(client, "search", "list_search_jobs").jobs, [])
    body = _model("RunSearchBody", {"query": "cod"})
    equal(_call(client, "search", "run_search", body=body).code, "SEARCH_UNAVAILABLE")


def the_generated_client_finds_repeats_and_cancels_tasks(service):
    client = _client(service)
    with target() as origin:
        task_id = _extract_later(client, f"{origin}/")
        first = _until_ended(client, "tasks", "get_task_details", task_id=task_id)
        given = {"host": first.host, "status": _enum("TaskStatus", "completed")}
        found = _call(client, "tasks", "search_tasks", **given)
        body = _model("RetryTaskBody", {"callback": False})
        accepted = _call(client, "tasks", "retry_task", task_id=task_id, body=body)
        repeated = _until_ended(client, "tasks", "get_task_details", task_id=accepted.id)
        held_id = _extract_later(client, f"{origin}/held")
        equal(_call(client, "tasks", "cancel_task_by_id", task_id=held_id).id, held_id)
        cancelled = _until_ended(client, "tasks", "get_task_details", task_id=held_id)

    equal(([one.id for one in found.tasks], found.is_capped), ([task_id], False))
    equal((first.status, first.retry_of, first.http_status), ("completed", None, 200))
    equal((repeated.status, repeated.retry_of, repeated.kind), ("completed", task_id, "extract"))
    equal(cancelled.status, "cancelled")
    equal(_call(client, "tasks", "get_task_details", task_id=UNKNOWN).code, "NOT_FOUND")


def the_generated_client_reads_series_and_domains(service):
    client = _client(service)
    with target() as origin:
        task_id = _extract_later(client, f"{origin}/")
        _until_ended(client, "tasks", "get_task_details", task_id=task_id)

    domains = _until(lambda: _call(client, "statistics_and_usage", "list_domains").items)
    hour = _enum("GetSeriesStep", "1h")
    series = _call(client, "statistics_and_usage", "get_series", step=hour)

    [domain] = [one for one in domains if one.host == "127.0.0.1"]
    assert domain.completed >= 1 and domain.statuses["200"] >= 1, domain
    equal(series.step_seconds, 3600)
    assert sum(point.engines.http for point in series.points) >= 1, series


def the_generated_client_begins_and_ends_a_session(service):
    client = _client(service, by_nothing=True)
    username, password = service.password
    body = _model("SessionCredentialType0", {"username": username, "password": password})

    equal(_call(client, "session", "get_session").code, "UNAUTHORIZED")
    equal(_call(client, "session", "begin_session", body=body), None)
    session = _call(client, "session", "get_session")
    equal((session.username, session.opens_access, bool(session.ends_at)), (username, True, True))
    equal(_call(client, "session", "end_session"), None)
    equal(_call(client, "session", "get_session").code, "UNAUTHORIZED")


def the_generated_client_manages_keys_with_the_password(service):
    client = _client(service, by_password=True)

    created = _call(client, "api_keys", "create_api_key", body=_model("NewApiKey", {"name": "one"}))
    listed = {one.id: one for one in _call(client, "api_keys", "list_api_keys").keys}
    equal((listed[created.id].name, created.key.startswith(created.prefix)), ("one", True))
    by_key = _client(service, api_key=created.key)
    equal(_call(by_key, "session", "get_session").opens_access, False)
    equal(_call(client, "api_keys", "revoke_api_key", key_id=created.id), None)
    equal(_call(by_key, "session", "get_session").code, "UNAUTHORIZED")


def the_generated_client_manages_webhooks(service):
    client = _client(service)
    fields = {"url": "http://127.0.0.1:8099/", "event_type": "extract_completed"}

    created = _call(client, "webhooks", "create_webhook", body=_model("NewWebhook", fields))
    change = _model("WebhookChange", {"is_active": False})
    changed = _call(client, "webhooks", "update_webhook", webhook_id=created.id, body=change)

    assert created.secret.startswith("whsec_")
    equal((changed.id, changed.is_active), (created.id, False))
    equal([one.id for one in _call(client, "webhooks", "list_webhooks").items], [created.id])
    ping = _call(client, "webhooks", "test_webhook", webhook_id=created.id)
    equal(ping.delivered, False)


def the_generated_client_manages_whitelisted_addresses_with_the_password(service):
    client = _client(service, by_password=True)
    body = _model("AddWhitelistedIpsBody", {"ips": [{"ip": "203.0.113.9"}]})

    added = _call(client, "whitelisted_i_ps", "add_whitelisted_ips", body=body)
    body = _model("RemoveWhitelistedIpsBody", {"ips": [{"ip": "203.0.113.9"}]})
    removed = _call(client, "whitelisted_i_ps", "remove_whitelisted_ips", body=body)

    equal([one.ip for one in added.data], ["203.0.113.9"])
    equal(removed.data, [])


def the_generated_client_reads_errors_as_what_the_document_says_they_are(service):
    client = _client(service)

    missing = _call(client, "batches", "get_batch", job_id=UNKNOWN)
    invalid = _call(client, "batches", "create_batch", body=_model("BatchRequest", {"urls": []}))
    bad = _model("ExtractRequest", {"url": "nonsense"})
    refused = _call(client, "extract_jobs", "extract_page", body=bad)

    equal((type(missing).__name__, missing.code), ("ErrorObject", "NOT_FOUND"))
    equal(type(invalid).__name__, "ValidationObject")
    equal(invalid.detail[0].loc, ["body", "urls"])
    equal((type(refused).__name__, refused.error.code), ("ExtractionProblem", "INVALID_URL"))


@cache
def _generated(url):
    """Generates the client and puts it on the path of imports; returns its folder and the output."""
    folder = tempfile.mkdtemp(prefix="generated-")
    atexit.register(shutil.rmtree, folder)
    Path(folder, "config.yaml").write_text(CONFIG)
    arguments = ["generate", "--url", f"{url}/openapi.json", "--meta", "none"]
    arguments += ["--config", f"{folder}/config.yaml", "--output-path", f"{folder}/{NAME}"]
    done = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
    )
    output = done.stdout + done.stderr
    equal((done.returncode, output if done.returncode else ""), (0, ""))
    sys.path.insert(0, folder)
    return folder, output


def _client(service, by_password=False, by_nothing=False, api_key=None):
    _generated(service.url)
    client = import_module(f"{NAME}.client")
    given = {"base_url": service.url, "raise_on_unexpected_status": True, "timeout": 30}
    if by_nothing:
        return client.Client(**given)
    if by_password:
        token = b64encode(":".join(service.password).encode()).decode()
        return client.AuthenticatedClient(token=token, prefix="Basic", **given)
    return client.AuthenticatedClient(
        token=api_key or service.api_key, prefix="", auth_header_name="X-Api-Key", **given
    )


def _model(name, fields):
    return getattr(import_module(f"{NAME}.models"), name).from_dict(fields)


def _enum(name, value):
    return getattr(import_module(f"{NAME}.models"), name)(value)


def _call(client, tag, operation, **given):
    return import_module(f"{NAME}.api.{tag}.{operation}").sync(client=client, **given)


def _extract_later(client, url):
    body = _model("ExtractRequest", {"url": url, "processing_mode": "async"})
    return _call(client, "extract_jobs", "extract_page", body=body).job_id


def _until_ended(client, tag, operation, **path):
    def read_ended():
        job = _call(client, tag, operation, **path)
        return job if job.completed_at else None

    return _until(read_ended)


def _until(read, within_seconds=30):
    """Reads again and again; returns the first value that is there."""
    deadline = monotonic() + within_seconds
    while monotonic() < deadline:
        value = read()
        if value:
            return value
        sleep(0.05)
    raise AssertionError(f"nothing to read within {within_seconds} s")
