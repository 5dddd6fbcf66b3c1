"""The client's ExtractionApi: extractions, and any single task read as a job."""

from datetime import datetime, timedelta, timezone
from time import sleep

from geonode_scraper_sdk import (
    ErrorResponse,
    ExtractAsyncResponse,
    ExtractionErrorCode,
    ExtractionErrorResponse,
    ExtractRequest,
    ExtractSyncResponse,
    HTTPValidationError,
    JobStatus,
    OutputFormat,
    ProcessingMode,
    ProxySettings,
    ProxyType,
    WaitConfig,
    WaitUntil,
)
from geonode_scraper_sdk.exceptions import (
    NotFoundException,
    UnauthorizedException,
    UnprocessableEntityException,
)

from command_line import gscraper
from expect import equal, error_object, faults, headers_of, raised
from target import DOCUMENT, PAGE, target

UNKNOWN = "01890000-0000-7000-8000-000000000000"


def a_realtime_scrape_is_a_completed_job(service):
    with target() as origin:
        job_id = service.scrape_now(f"{origin}/")

        job = _get(service, job_id)

    equal((job.job_id, job.status), (job_id, JobStatus.COMPLETED))
    equal((job.data.html, job.data.markdown), (PAGE, None))
    equal((job.error, job.tokens_charged), (None, 1))
    equal(job.created_at.utcoffset(), timedelta(0))
    assert job.completed_at >= job.created_at
    equal((job.metadata.url, job.metadata.http_status), (f"{origin}/", 200))
    equal(job.metadata.formats, [OutputFormat.HTML])
    equal(job.metadata.processing_mode, ProcessingMode.SYNC)
    equal(job.metadata.render_js, False)
    assert job.metadata.duration_ms >= 0


def a_callback_task_is_a_job_before_and_after_it_is_cancelled(service):
    with target() as origin:
        job_id = service.submit(f"{origin}/held")
        before = _get(service, job_id)
        service.cancel(job_id)
        after = _get(service, job_id)

    assert before.status in (JobStatus.QUEUED, JobStatus.PROCESSING), before.status
    equal((before.completed_at, before.data, before.metadata), (None, None, None))
    equal((before.error, before.tokens_charged), (None, None))
    equal((after.status, after.data, after.tokens_charged), (JobStatus.CANCELLED, None, 0))
    equal(after.error.code, ExtractionErrorCode.CANCELLED)


def a_failed_task_is_a_job_with_an_error(service):
    with target() as origin:
        pass
    job_id = service.scrape_now(f"{origin}/", retries={"useRetries": False})

    job = _get(service, job_id)

    equal((job.status, job.data, job.metadata), (JobStatus.FAILED, None, None))
    equal((job.error.code, job.error.retryable), (ExtractionErrorCode.NETWORK_ERROR, True))
    equal(job.error.details, {"reason": "TARGET_UNREACHABLE"})
    assert job.error.message


def a_job_comes_with_its_status_and_headers(service):
    with target() as origin:
        job_id = service.scrape_now(f"{origin}/")

    get = service.extraction.get_job_result_v1_extract_job_id_get_with_http_info
    response = get(job_id)

    equal(response.status_code, 200)
    equal(headers_of(response)["content-type"], "application/json; charset=utf-8")
    assert headers_of(response)["x-request-id"]
    equal(response.data, _get(service, job_id))


def a_job_can_be_read_unparsed_with_the_json_of_its_target(service):
    with target() as origin:
        job_id = service.scrape_now(f"{origin}/document", is_json_response=True)

    get = service.extraction.get_job_result_v1_extract_job_id_get_without_preload_content
    response = get(job_id)
    job = response.json()

    equal(response.status, 200)
    equal(job["data"], {"html": None, "markdown": None, "json": {"fish": ["cod"]}})
    assert DOCUMENT in response.data.decode(), "the document is not as it was written"


def an_unknown_job_id_gets_404_and_a_malformed_one_422(service):
    unknown = raised(NotFoundException, _get, service, UNKNOWN)
    wrong = raised(UnprocessableEntityException, _get, service, "x")

    error_object(unknown, "NOT_FOUND")
    assert isinstance(wrong.data, HTTPValidationError), wrong.body
    faults(wrong, [(["path", "job_id"], "uuid_parsing")])


def a_job_needs_a_valid_key(service):
    for key in (None, "wrong"):
        api = service.extraction_with(key)
        refused = raised(UnauthorizedException, api.get_job_result_v1_extract_job_id_get, UNKNOWN)

        assert isinstance(refused.data, ErrorResponse), refused.body
        error_object(refused, "UNAUTHORIZED")


def a_page_is_extracted_while_the_caller_waits(service):
    with target() as origin:
        result = _extract(service, url=f"{origin}/", formats=[OutputFormat.HTML, OutputFormat.MARKDOWN])

    assert isinstance(result, ExtractSyncResponse), result
    equal((result.data.html, result.tokens_charged), (PAGE, 1))
    assert "Grüße" in result.data.markdown
    equal((result.metadata.url, result.metadata.http_status), (f"{origin}/", 200))
    equal(result.metadata.formats, [OutputFormat.HTML, OutputFormat.MARKDOWN])
    equal(result.metadata.processing_mode, ProcessingMode.SYNC)
    equal((result.metadata.render_js, result.metadata.proxy), (False, None))


def every_option_of_the_client_is_accepted_and_echoed(service):
    wait = WaitConfig(wait_until=WaitUntil.LOAD, wait_for="h1", wait_timeout=10)
    with target() as origin:
        result = _extract(
            service,
            url=f"{origin}/",
            formats=[OutputFormat.MARKDOWN],
            headers={"X-Mine": "yes", "Authorization": "Bearer secret"},
            proxy=ProxySettings(type=ProxyType.MIX),
            render_js=False,
            timeout=20_000,
            wait_config=wait,
        )

    metadata = result.metadata
    equal(metadata.headers, {"X-Mine": "yes", "Authorization": "***"})
    equal((metadata.proxy.country, metadata.proxy.type), (None, ProxyType.MIX))
    equal(metadata.wait_config, wait)
    equal(result.data.html, None)


def a_page_is_rendered_and_waited_for(service):
    wait = WaitConfig(wait_until=WaitUntil.NETWORKIDLE, wait_for="//h1")
    with target() as origin:
        result = _extract(service, url=f"{origin}/", render_js=True, wait_config=wait)

    assert PAGE in result.data.html, result.data.html
    equal(result.metadata.render_js, True)


def an_extraction_can_be_read_later(service):
    with target() as origin:
        accepted = _extract(service, url=f"{origin}/", processing_mode=ProcessingMode.ASYNC)
        assert isinstance(accepted, ExtractAsyncResponse), accepted
        job = _until_ended(service, str(accepted.job_id))

    equal(accepted.status_url, f"/v1/extract/{accepted.job_id}")
    equal((job.status, job.data.html, job.tokens_charged), (JobStatus.COMPLETED, PAGE, 1))
    equal(job.metadata.processing_mode, ProcessingMode.ASYNC)


def a_failed_extraction_is_parsed_as_an_extraction_error(service):
    with target() as origin:
        pass
    refused = raised(UnprocessableEntityException, _extract, service, url=f"{origin}/", timeout=3_000)

    assert isinstance(refused.data, ExtractionErrorResponse), refused.body
    error = refused.data.error
    equal((error.code, error.retryable), (ExtractionErrorCode.NETWORK_ERROR, True))
    equal(error.details, {"reason": "TARGET_UNREACHABLE"})
    equal(refused.data.tokens_charged, 0)


def a_bad_extraction_request_is_parsed_as_an_extraction_error(service):
    refused = raised(UnprocessableEntityException, _extract, service, url="nope")

    assert isinstance(refused.data, ExtractionErrorResponse), refused.body
    equal(refused.data.error.code, ExtractionErrorCode.INVALID_URL)
    detail = HTTPValidationError.from_json(refused.body).detail
    equal([one.type for one in detail], ["url_parsing"])


def an_extraction_comes_with_its_status_and_headers_and_unparsed(service):
    with target() as origin:
        request = ExtractRequest(url=f"{origin}/")
        api = service.extraction
        parsed = api.extract_v1_extract_post_with_http_info(request)
        unparsed = api.extract_v1_extract_post_without_preload_content(request)

    equal((parsed.status_code, unparsed.status), (200, 200))
    assert headers_of(parsed)["x-job-id"]
    equal(unparsed.json()["data"], {"html": PAGE, "markdown": None})


def jobs_are_listed_by_every_filter_of_the_client(service):
    now = datetime.now(timezone.utc)
    with target() as origin:
        url = f"{origin}/?listed"
        _extract(service, url=url, formats=[OutputFormat.MARKDOWN])

        found = service.extraction.list_jobs_v1_extract_jobs_get(
            url="/?listed",
            status=JobStatus.COMPLETED,
            output=OutputFormat.MARKDOWN,
            start_date=now - timedelta(minutes=5),
            end_date=now + timedelta(minutes=5),
            page=1,
            page_size=1,
        )
        by_id = service.extraction.list_jobs_v1_extract_jobs_get(job_id=str(found.jobs[0].job_id))

    equal((found.page, found.page_size, found.is_capped), (1, 1, False))
    job = found.jobs[0]
    equal((job.url, job.status, job.output), (url, JobStatus.COMPLETED, [OutputFormat.MARKDOWN]))
    assert job.execution_time >= 0
    equal([one.job_id for one in by_id.jobs], [job.job_id])


def a_list_of_jobs_comes_with_its_status_and_headers_and_unparsed(service):
    api = service.extraction
    parsed = api.list_jobs_v1_extract_jobs_get_with_http_info(page_size=1)
    unparsed = api.list_jobs_v1_extract_jobs_get_without_preload_content(page_size=1)

    equal((parsed.status_code, unparsed.status), (200, 200))
    equal(unparsed.json()["page_size"], 1)


def a_bad_filter_of_a_list_is_parsed_as_validation_errors(service):
    refused = raised(
        UnprocessableEntityException,
        service.extraction.list_jobs_v1_extract_jobs_get,
        page_size=0,
    )

    faults(refused, [(["query", "page_size"], "greater_than_equal")])


def gscraper_extracts_now_and_later(service):
    with target() as origin:
        code, now = gscraper(service, "extract", f"{origin}/", "-f", "markdown", "-f", "html", "-H", "A: b")
        later_code, later = gscraper(service, "extract", f"{origin}/", "--async")
        job_id = later["result"]["job_id"]
        wait_code, waited = gscraper(service, "jobs", "wait", job_id, "--interval", "0.2")
        get_code, got = gscraper(service, "jobs", "get", job_id)

    equal((code, later_code, wait_code, get_code), (0, 0, 0, 0))
    equal(now["result"]["data"]["html"], PAGE)
    equal(got["result"]["data"]["html"], PAGE)
    assert waited["ok"], waited


def gscraper_lists_jobs(service):
    code, listed = gscraper(service, "jobs", "list", "--status", "completed", "--page-size", "2")

    equal(code, 0)
    equal(listed["result"]["page_size"], 2)


def gscraper_reports_a_failed_extraction(service):
    code, refused = gscraper(service, "extract", "http://169.254.169.254/")

    assert code != 0
    equal(refused["ok"], False)


def _extract(service, **fields):
    return service.extraction.extract_v1_extract_post(ExtractRequest(**fields))


def _until_ended(service, job_id):
    for _ in range(100):
        job = _get(service, job_id)
        if job.completed_at:
            return job
        sleep(0.1)
    raise AssertionError("the job did not end")


def _get(service, job_id):
    return service.extraction.get_job_result_v1_extract_job_id_get(job_id)
