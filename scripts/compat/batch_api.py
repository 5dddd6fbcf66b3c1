"""The client's BatchApi and the commands `batch`: many pages as one job."""

from datetime import datetime, timedelta, timezone
from time import sleep

from geonode_scraper_sdk import (
    BatchRequest,
    JobStatus,
    OutputFormat,
    ProxySettings,
    ProxyType,
    WaitConfig,
    WaitUntil,
)
from geonode_scraper_sdk.exceptions import (
    ConflictException,
    NotFoundException,
    UnauthorizedException,
    UnprocessableEntityException,
)

from command_line import gscraper
from expect import equal, error_object_without_model, faults, headers_of, raised
from target import PAGE, target

UNKNOWN = "01890000-0000-7000-8000-000000000000"


def a_batch_is_accepted_and_completes_in_order(service):
    with target() as origin:
        urls = [f"{origin}/", "nonsense", f"{origin}/", f"{origin}/document"]
        accepted = _create(service, urls=urls, formats=[OutputFormat.HTML, OutputFormat.MARKDOWN])
        job = _until_ended(service, accepted.job_id)

    equal((accepted.status, accepted.accepted_urls), (JobStatus.QUEUED, 3))
    equal(accepted.invalid_urls, ["nonsense"])
    equal(accepted.status_url, f"/v1/batch/{accepted.job_id}")
    equal((job.status, job.total_urls, job.completed_urls), (JobStatus.COMPLETED, 3, 3))
    equal((job.failed_urls, job.cancelled_urls, job.pending_urls), (0, 0, 0))
    equal(job.invalid_urls, ["nonsense"])
    equal([(one.input_index, one.status) for one in job.results], [(i, "completed") for i in (0, 2, 3)])
    equal((job.results[0].data.html, job.results[0].error_code), (PAGE, None))
    assert "Grüße" in job.results[0].data.markdown
    metadata = job.results[0].metadata
    equal((metadata.http_status, metadata.tokens_charged), (200, 1))
    assert metadata.duration_ms >= 0
    equal((job.token_summary.tokens_charged_total, job.token_summary.tokens_reserved), (3, 0))
    equal(job.created_at.utcoffset(), timedelta(0))
    assert job.completed_at >= job.created_at


def every_option_of_a_batch_is_accepted_and_echoed(service):
    wait = WaitConfig(wait_until=WaitUntil.LOAD, wait_for="h1", wait_timeout=10)
    with target() as origin:
        accepted = _create(
            service,
            urls=[f"{origin}/"],
            formats=[OutputFormat.MARKDOWN],
            headers={"X-Mine": "yes", "Authorization": "Bearer secret"},
            ignore_invalid_urls=False,
            proxy=ProxySettings(type=ProxyType.MIX),
            render_js=False,
            wait_config=wait,
        )
        config = _until_ended(service, accepted.job_id).batch_config

    equal((config.render_js, config.formats), (False, [OutputFormat.MARKDOWN]))
    equal(config.headers, {"X-Mine": "yes", "Authorization": "***"})
    equal((config.proxy.country, config.proxy.type), (None, ProxyType.MIX))
    equal(config.wait_config, wait)


def a_batch_of_defaults_is_markdown(service):
    with target() as origin:
        job = _until_ended(service, _create(service, urls=[f"{origin}/"]).job_id)

    equal((job.batch_config.formats, job.batch_config.headers), ([OutputFormat.MARKDOWN], None))
    equal((job.batch_config.proxy.country, job.batch_config.wait_config), (None, None))
    equal((job.results[0].data.html, job.results[0].error_message), (None, None))


def a_failed_page_has_its_reason(service):
    with target() as origin:
        pass
    job = _until_ended(service, _create(service, urls=[f"{origin}/"]).job_id)

    equal((job.status, job.failed_urls), (JobStatus.COMPLETED, 1))
    equal((job.results[0].status, job.results[0].error_code), ("failed", "NETWORK_ERROR"))
    equal((job.results[0].data, job.results[0].metadata), (None, None))
    assert job.results[0].error_message


def a_page_of_results_is_chosen(service):
    get = service.batch.get_batch_status_v1_batch_job_id_get_with_http_info
    with target() as origin:
        accepted = _create(service, urls=[f"{origin}/"] * 3)
        _until_ended(service, accepted.job_id)
        response = get(accepted.job_id, page=2, page_size=2)

    equal(response.status_code, 200)
    equal(headers_of(response)["content-type"], "application/json; charset=utf-8")
    equal([one.input_index for one in response.data.results], [2])


def a_batch_is_cancelled_once(service):
    create = service.batch.create_batch_v1_batch_post_with_http_info
    cancel = service.batch.cancel_batch_v1_batch_job_id_delete
    again = service.batch.cancel_batch_v1_batch_job_id_delete_with_http_info
    with target() as origin:
        created = create(BatchRequest(urls=[f"{origin}/held"] * 2))
        job_id = created.data.job_id
        cancelled = cancel(job_id)
        status = _get(service, job_id).status
        refused = raised(ConflictException, again, job_id)
        unparsed = service.batch.cancel_batch_v1_batch_job_id_delete_without_preload_content(job_id)

    equal((created.status_code, cancelled.job_id), (202, job_id))
    equal((cancelled.status, status), (JobStatus.CANCELLED, JobStatus.CANCELLED))
    equal(cancelled.status_url, f"/v1/batch/{job_id}")
    assert 0 <= cancelled.in_flight_urls <= 2, cancelled
    error_object_without_model(refused, "CONFLICT")
    equal(unparsed.status, 409)


def batches_are_listed(service):
    list_jobs = service.batch.list_batch_jobs_v1_batch_jobs_get
    with_info = service.batch.list_batch_jobs_v1_batch_jobs_get_with_http_info
    with target() as origin:
        accepted = _create(service, urls=[f"{origin}/", f"{origin}/"])
        _until_ended(service, accepted.job_id)
    now = datetime.now(timezone.utc)

    listed = list_jobs()
    page = with_info(
        status=JobStatus.COMPLETED,
        start_date=now - timedelta(days=1),
        end_date=now + timedelta(days=1),
        page=1,
        page_size=1,
    ).data
    unparsed = service.batch.list_batch_jobs_v1_batch_jobs_get_without_preload_content().json()

    newest = listed.jobs[0]
    equal((newest.job_id, newest.status), (accepted.job_id, JobStatus.COMPLETED))
    equal((newest.accepted_urls, newest.completed_urls, newest.failed_urls), (2, 2, 0))
    equal((listed.page, listed.page_size), (1, 100))
    equal(([one.job_id for one in page.jobs], page.page_size), ([accepted.job_id], 1))
    equal(unparsed["jobs"][0]["job_id"], str(accepted.job_id))


def a_batch_without_a_valid_url_is_refused(service):
    refused = raised(UnprocessableEntityException, _create, service, urls=["nonsense", "http://10.0.0.1/"])

    faults(refused, [(["body", "urls", str(index)], "url_parsing") for index in (0, 1)])


def an_unknown_batch_is_404(service):
    unparsed = service.batch.get_batch_status_v1_batch_job_id_get_without_preload_content(UNKNOWN)
    for call in (_get, _cancel):
        unknown = raised(NotFoundException, call, service, UNKNOWN)
        error_object_without_model(unknown, "NOT_FOUND")
    equal(unparsed.status, 404)


def a_batch_needs_a_valid_key(service):
    for key in (None, "wrong"):
        create = service.batch_with(key).create_batch_v1_batch_post_without_preload_content
        equal(create(BatchRequest(urls=["http://127.0.0.1/"])).status, 401)
        refused = raised(
            UnauthorizedException,
            service.batch_with(key).get_batch_status_v1_batch_job_id_get,
            UNKNOWN,
        )
        error_object_without_model(refused, "UNAUTHORIZED")


def gscraper_runs_a_batch(service):
    with target() as origin:
        code, created = gscraper(
            service, "batch", "create", f"{origin}/", "nonsense", f"{origin}/", "-f", "html", "-H", "A: b"
        )
        job_id = created["result"]["job_id"]
        wait_code, waited = gscraper(service, "batch", "wait", job_id, "--interval", "0.2")
        get_code, got = gscraper(service, "batch", "status", job_id, "--page-size", "1")

    equal((code, wait_code, get_code), (0, 0, 0))
    equal((created["result"]["accepted_urls"], waited["ok"]), (2, True))
    equal([one["data"]["html"] for one in got["result"]["results"]], [PAGE])


def gscraper_cancels_and_lists_batches(service):
    with target() as origin:
        _, created = gscraper(service, "batch", "create", f"{origin}/held")
        job_id = created["result"]["job_id"]
        code, cancelled = gscraper(service, "batch", "cancel", job_id)
        again, _ = gscraper(service, "batch", "cancel", job_id)
    list_code, listed = gscraper(service, "batch", "list", "--status", "cancelled", "--page-size", "1")

    equal((code, cancelled["result"]["status"], list_code), (0, "cancelled", 0))
    assert again != 0
    equal([one["job_id"] for one in listed["result"]["jobs"]], [job_id])


def _create(service, **fields):
    return service.batch.create_batch_v1_batch_post(BatchRequest(**fields))


def _get(service, job_id):
    return service.batch.get_batch_status_v1_batch_job_id_get(job_id)


def _cancel(service, job_id):
    return service.batch.cancel_batch_v1_batch_job_id_delete(job_id)


def _until_ended(service, job_id):
    for _ in range(300):
        job = _get(service, job_id)
        if job.completed_at:
            return job
        sleep(0.1)
    raise AssertionError("the batch does not end")
