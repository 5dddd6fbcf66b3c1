"""The client's SearchApi and the command `search`: there is no search engine behind them."""

from datetime import datetime, timezone

from geonode_scraper_sdk import JobStatus, SearchRequest
from geonode_scraper_sdk.exceptions import NotFoundException, ServiceException

from command_line import gscraper
from expect import equal, error_object, error_object_without_model, raised

UNKNOWN = "01890000-0000-7000-8000-000000000000"


def a_search_gets_503_without_retry_after(service):
    request = SearchRequest(query="fish", page=2, safe="strict", time_range="week", locale="en-US")
    refused = raised(ServiceException, service.search.search_v1_search_post, request)
    again = raised(ServiceException, service.search.search_v1_search_post_with_http_info, request)
    unparsed = service.search.search_v1_search_post_without_preload_content(request)

    for exception in (refused, again):
        equal(exception.status, 503)
        error_object(exception, "SEARCH_UNAVAILABLE")
        assert "Retry-After" not in exception.headers, exception.headers
    equal((unparsed.status, unparsed.json()["retryable"]), (503, False))


def the_list_of_searches_is_empty(service):
    plain = service.search.list_search_jobs_v1_search_jobs_get()
    start, end = datetime(2026, 1, 1), datetime(2026, 2, 1, tzinfo=timezone.utc)
    list_page = service.search.list_search_jobs_v1_search_jobs_get_with_http_info
    page = list_page(
        query="fish",
        status=JobStatus.COMPLETED,
        start_date=start,
        end_date=end,
        page=2,
        page_size=5,
    )
    unparsed = service.search.list_search_jobs_v1_search_jobs_get_without_preload_content()

    equal((plain.jobs, plain.page, plain.page_size, plain.page_count), ([], 1, 100, 0))
    equal((page.data.jobs, page.data.page, page.data.page_size), ([], 2, 5))
    equal(unparsed.json(), {"jobs": [], "page": 1, "page_size": 100, "page_count": 0})


def any_search_id_gets_404(service):
    unknown = raised(
        NotFoundException, service.search.get_search_job_v1_search_job_id_get, UNKNOWN
    )
    again = raised(
        NotFoundException,
        service.search.get_search_job_v1_search_job_id_get_with_http_info,
        UNKNOWN,
    )
    unparsed = service.search.get_search_job_v1_search_job_id_get_without_preload_content(UNKNOWN)

    for exception in (unknown, again):
        error_object_without_model(exception, "NOT_FOUND")
    equal(unparsed.status, 404)


def gscraper_says_that_there_is_no_search(service):
    code, searched = gscraper(service, "search", "run", "fish")
    equal((code, searched["error"]["status"]), (1, 503))

    code, listed = gscraper(service, "search", "jobs", "list", "--query", "fish", "--page-size", "5")
    equal((code, listed["result"]["jobs"]), (0, []))

    code, found = gscraper(service, "search", "jobs", "get", UNKNOWN)
    equal((code, found["error"]["status"]), (5, 404))
