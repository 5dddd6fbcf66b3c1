"""The client's CrawlApi and the commands `crawl`: a site, link by link."""

from datetime import datetime, timedelta, timezone
from time import sleep

from geonode_scraper_sdk import CrawlRequest, JobStatus, OutputFormat
from geonode_scraper_sdk.exceptions import (
    ConflictException,
    NotFoundException,
    UnauthorizedException,
    UnprocessableEntityException,
)

from command_line import gscraper
from expect import equal, error_object_without_model, faults, raised
from target import linked_site, target

UNKNOWN = "01890000-0000-7000-8000-000000000000"


def a_crawl_is_accepted_and_follows_links(service):
    with linked_site() as origin:
        accepted = _create(service, url=f"{origin}/", depth=3, limit=10, formats=[OutputFormat.HTML])
        job = _until_ended(service, accepted.job_id)

    equal((accepted.status, accepted.estimated_pages), (JobStatus.QUEUED, 10))
    equal((accepted.url, accepted.status_url), (f"{origin}/", f"/v1/crawl/{accepted.job_id}"))
    equal((job.status, job.url, job.total_pages), (JobStatus.COMPLETED, f"{origin}/", 3))
    equal((job.completed_pages, job.failed_pages, job.cancelled_pages), (3, 0, 0))
    pages = [(one.url, one.depth, one.parent_url, one.status) for one in job.results]
    equal(
        pages,
        [
            (f"{origin}/", 1, None, "completed"),
            (f"{origin}/one", 2, f"{origin}/", "completed"),
            (f"{origin}/two?page=2", 2, f"{origin}/", "completed"),
        ],
    )
    equal(job.results[0].links, [f"{origin}/one", f"{origin}/two?page=2"])
    assert "Start" in job.results[0].data.html
    equal(job.results[0].metadata.http_status, 200)
    equal((job.token_summary.tokens_charged_total, job.token_summary.tokens_reserved), (3, 0))
    config = job.crawl_config
    equal((config.formats, config.render_js), ([OutputFormat.HTML], False))
    equal((config.same_domain_only, config.include_subdomains), (True, False))


def a_crawl_is_read_page_by_page(service):
    with linked_site() as origin:
        job_id = _create(service, url=f"{origin}/").job_id
        _until_ended(service, job_id)
    get = service.crawl.get_crawl_status_v1_crawl_job_id_get_with_http_info

    second = get(job_id, page=2, page_size=1).data
    unparsed = service.crawl.get_crawl_status_v1_crawl_job_id_get_without_preload_content(job_id)

    equal([one.url for one in second.results], [f"{origin}/one"])
    equal(len(unparsed.json()["results"]), 3)


def a_crawl_is_cancelled_once(service):
    create = service.crawl.create_crawl_v1_crawl_post_with_http_info
    again = service.crawl.cancel_crawl_v1_crawl_job_id_delete_with_http_info
    with target() as origin:
        job_id = create(CrawlRequest(url=f"{origin}/held")).data.job_id
        cancelled = service.crawl.cancel_crawl_v1_crawl_job_id_delete(job_id)
        raised(ConflictException, again, job_id)
        unparsed = service.crawl.cancel_crawl_v1_crawl_job_id_delete_without_preload_content(job_id)

    equal((cancelled.job_id, cancelled.status), (job_id, JobStatus.CANCELLED))
    equal(cancelled.status_url, f"/v1/crawl/{job_id}")
    equal(unparsed.status, 409)


def crawls_are_listed(service):
    with linked_site() as origin:
        first = _create(service, url=f"{origin}/", limit=1).job_id
        _until_ended(service, first)
        second = _create(service, url=f"{origin}/one", limit=1).job_id
        _until_ended(service, second)
    list_jobs = service.crawl.list_crawl_jobs_v1_crawl_jobs_get
    with_info = service.crawl.list_crawl_jobs_v1_crawl_jobs_get_with_http_info
    yesterday = datetime.now(timezone.utc) - timedelta(days=1)

    listed = list_jobs(
        url=origin, status=JobStatus.COMPLETED, start_date=yesterday, page=1, page_size=1
    )
    unparsed = service.crawl.list_crawl_jobs_v1_crawl_jobs_get_without_preload_content(url=origin)

    equal((listed.page, listed.page_size, listed.page_count), (1, 1, 2))
    equal([(one.job_id, one.url, one.total_pages) for one in listed.jobs], [(second, f"{origin}/one", 1)])
    equal(listed.jobs[0].config.formats, [OutputFormat.MARKDOWN])
    equal(with_info(end_date=yesterday).data.jobs, [])
    equal(len(unparsed.json()["jobs"]), 2)


def a_crawl_of_a_bad_url_is_refused(service):
    refused = raised(UnprocessableEntityException, _create, service, url="nonsense")
    unparsed = service.crawl.create_crawl_v1_crawl_post_without_preload_content(
        CrawlRequest(url="nonsense")
    )

    faults(refused, [(["body", "url"], "url_parsing")])
    equal(unparsed.status, 422)


def an_unknown_crawl_is_not_found(service):
    raised(NotFoundException, _get, service, UNKNOWN)
    raised(NotFoundException, service.crawl.cancel_crawl_v1_crawl_job_id_delete, UNKNOWN)


def a_crawl_needs_a_valid_key(service):
    for key in (None, "wrong"):
        refused = raised(
            UnauthorizedException,
            service.crawl_with(key).get_crawl_status_v1_crawl_job_id_get,
            UNKNOWN,
        )
        error_object_without_model(refused, "UNAUTHORIZED")


def gscraper_crawls_a_site(service):
    with linked_site() as origin:
        code, created = gscraper(service, "crawl", "create", f"{origin}/", "--depth", "2", "-f", "html")
        job_id = created["result"]["job_id"]
        wait_code, waited = gscraper(service, "crawl", "wait", job_id, "--interval", "0.2")
        get_code, got = gscraper(service, "crawl", "status", job_id, "--page-size", "2")
        list_code, listed = gscraper(service, "crawl", "list", "--url", origin)

    equal((code, wait_code, get_code, list_code), (0, 0, 0, 0))
    equal((waited["ok"], len(got["result"]["results"])), (True, 2))
    equal([one["job_id"] for one in listed["result"]["jobs"]], [job_id])


def gscraper_cancels_a_crawl(service):
    with target() as origin:
        _, created = gscraper(service, "crawl", "create", f"{origin}/held")
        code, cancelled = gscraper(service, "crawl", "cancel", created["result"]["job_id"])

    equal((code, cancelled["result"]["status"]), (0, "cancelled"))


def _create(service, **fields):
    return service.crawl.create_crawl_v1_crawl_post(CrawlRequest(**fields))


def _get(service, job_id):
    return service.crawl.get_crawl_status_v1_crawl_job_id_get(job_id)


def _until_ended(service, job_id):
    for _ in range(300):
        job = _get(service, job_id)
        if job.completed_at:
            return job
        sleep(0.1)
    raise AssertionError("the crawl does not end")
