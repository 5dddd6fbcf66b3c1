"""The client's MapApi and the commands `map`: the URLs of a site."""

from datetime import datetime, timedelta, timezone

from geonode_scraper_sdk import JobStatus, MapRequest
from geonode_scraper_sdk.exceptions import (
    NotFoundException,
    UnauthorizedException,
    UnprocessableEntityException,
)

from command_line import gscraper
from expect import equal, error_object_without_model, headers_of, raised
from target import linked_site

UNKNOWN = "01890000-0000-7000-8000-000000000000"


def a_map_lists_the_urls_of_a_site(service):
    with linked_site() as origin:
        mapped = _map(service, url=f"{origin}/")
        found = _map(service, url=f"{origin}/", search="TWO", ignore_query_parameters=False)

    equal(mapped.success, True)
    equal([(one.url, one.source) for one in mapped.links], [(f"{origin}/one", "html"), (f"{origin}/two", "html")])
    equal((mapped.metadata.links_count, mapped.metadata.url, mapped.warning), (2, f"{origin}/", None))
    assert mapped.metadata.duration_ms >= 0
    equal([one.url for one in found.links], [f"{origin}/two?page=2"])


def a_map_is_read_by_its_id(service):
    with linked_site() as origin:
        made = service.map.map_urls_v1_map_post_with_http_info(MapRequest(url=f"{origin}/"))
    job_id = headers_of(made)["x-job-id"]
    get = service.map.get_map_job_v1_map_job_id_get

    job = get(job_id)
    again = service.map.get_map_job_v1_map_job_id_get_with_http_info(job_id)
    unparsed = service.map.get_map_job_v1_map_job_id_get_without_preload_content(job_id).json()

    equal((job.status, job.url, job.links_count), (JobStatus.COMPLETED, f"{origin}/", 2))
    equal(job.links, made.data.links)
    equal((job.tokens_charged, job.search, job.error_code), (1, None, None))
    equal((job.include_subdomains, job.ignore_query_parameters), (False, True))
    equal(job.created_at.utcoffset(), timedelta(0))
    equal((again.data, unparsed["job_id"]), (job, job_id))
    raised(NotFoundException, get, UNKNOWN)


def maps_are_listed(service):
    with linked_site() as origin:
        _map(service, url=f"{origin}/")
        _map(service, url=f"{origin}/one")
    list_jobs = service.map.list_map_jobs_v1_map_jobs_get
    with_info = service.map.list_map_jobs_v1_map_jobs_get_with_http_info
    yesterday = datetime.now(timezone.utc) - timedelta(days=1)

    listed = list_jobs(url=origin, status=JobStatus.COMPLETED, start_date=yesterday, page=1, page_size=1)
    unparsed = service.map.list_map_jobs_v1_map_jobs_get_without_preload_content(url=origin).json()

    equal((listed.page, listed.page_size, listed.page_count), (1, 1, 2))
    equal([one.url for one in listed.jobs], [f"{origin}/one"])
    equal(with_info(end_date=yesterday).data.jobs, [])
    equal(len(unparsed["jobs"]), 2)


def a_host_that_cannot_be_reached_is_refused(service):
    with linked_site() as origin:
        gone = origin
    request = MapRequest(url=f"{gone}/")
    refused = raised(UnprocessableEntityException, service.map.map_urls_v1_map_post, request)
    unparsed = service.map.map_urls_v1_map_post_without_preload_content(request)

    assert "NETWORK_ERROR" in refused.body, refused.body
    equal(unparsed.status, 422)


def a_map_needs_a_valid_key(service):
    for key in (None, "wrong"):
        refused = raised(
            UnauthorizedException, service.map_with(key).get_map_job_v1_map_job_id_get, UNKNOWN
        )
        error_object_without_model(refused, "UNAUTHORIZED")


def gscraper_maps_a_site(service):
    with linked_site() as origin:
        code, mapped = gscraper(service, "map", "run", f"{origin}/")
    list_code, listed = gscraper(service, "map", "jobs", "list", "--page-size", "1")
    job_id = listed["result"]["jobs"][0]["job_id"]
    get_code, got = gscraper(service, "map", "jobs", "get", job_id)

    equal((code, list_code, get_code), (0, 0, 0))
    equal(len(mapped["result"]["links"]), 2)
    equal(got["result"]["links"], mapped["result"]["links"])


def _map(service, **fields):
    return service.map.map_urls_v1_map_post(MapRequest(**fields))
