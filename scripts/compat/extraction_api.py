"""The client's ExtractionApi: any single task, read as a job."""

from datetime import timedelta

from geonode_scraper_sdk import (
    ErrorResponse,
    ExtractionErrorCode,
    HTTPValidationError,
    JobStatus,
    OutputFormat,
    ProcessingMode,
)
from geonode_scraper_sdk.exceptions import (
    NotFoundException,
    UnauthorizedException,
    UnprocessableEntityException,
)

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


def _get(service, job_id):
    return service.extraction.get_job_result_v1_extract_job_id_get(job_id)
