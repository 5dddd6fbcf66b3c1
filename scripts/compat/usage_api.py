"""The client's StatisticsApi and UsageApi, and the commands `stats` and `usage`."""

from datetime import datetime, timedelta, timezone

from geonode_scraper_sdk import ErrorResponse, HTTPValidationError
from geonode_scraper_sdk.exceptions import UnauthorizedException, UnprocessableEntityException

from command_line import gscraper
from expect import equal, error_object, faults, headers_of, raised
from target import target


def statistics_count_what_ended_today(service):
    before = _statistics(service)
    with target() as origin:
        service.scrape_now(f"{origin}/")
    service.scrape_now(f"{origin}/", retries={"useRetries": False})

    after = _statistics(service)

    equal(after.extraction_count - before.extraction_count, 2)
    equal(after.period_tokens_used - before.period_tokens_used, 1)
    equal(_sum(after, "success_request_count") - _sum(before, "success_request_count"), 1)
    equal(_sum(after, "failed_request_count") - _sum(before, "failed_request_count"), 1)
    assert 0 < after.success_rate < 1, after.success_rate
    assert after.average_extraction_duration >= 0
    equal((len(after.requests), len(after.tokens_used)), (31, 31))
    equal([day.var_date for day in after.requests], [day.var_date for day in after.tokens_used])
    equal(after.requests[0].var_date.utcoffset(), timedelta(0))


def statistics_take_dates_of_any_zone_and_fill_every_day(service):
    end = datetime(2026, 3, 4, 1, 0, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    start = datetime(2026, 3, 1, 12, 0)

    get = service.statistics.get_statistics_v1_statistics_get_with_http_info
    response = get(start_date=start, end_date=end)

    equal(response.status_code, 200)
    equal(headers_of(response)["content-type"], "application/json; charset=utf-8")
    days = [datetime(2026, 3, day, tzinfo=timezone.utc) for day in (1, 2, 3)]
    equal([day.var_date for day in response.data.requests], days)
    equal((response.data.extraction_count, response.data.success_rate), (0, 0))


def statistics_can_be_read_unparsed_with_whole_numbers(service):
    get = service.statistics.get_statistics_v1_statistics_get_without_preload_content
    response = get()
    body = response.json()

    equal(response.status, 200)
    numbers = {name: type(body[name]) for name in body if isinstance(body[name], (int, float))}
    numbers.pop("success_rate")
    equal(set(numbers.values()), {int})


def statistics_of_too_many_days_or_without_a_key_are_refused(service):
    get = service.statistics.get_statistics_v1_statistics_get
    start, end = datetime(2025, 1, 1), datetime(2026, 1, 2)
    long = raised(UnprocessableEntityException, get, start_date=start, end_date=end)
    refused = raised(
        UnauthorizedException, service.statistics_with(None).get_statistics_v1_statistics_get
    )

    assert isinstance(long.data, HTTPValidationError), long.body
    faults(long, [(["query", "end_date"], "value_error")])
    assert isinstance(refused.data, ErrorResponse), refused.body
    error_object(refused, "UNAUTHORIZED")


def concurrency_is_what_runs_now_and_what_may(service):
    idle = service.usage.get_concurrency_usage_v1_usage_concurrency_get()
    with target() as origin:
        task_id = service.submit(f"{origin}/held")
        get = service.usage.get_concurrency_usage_v1_usage_concurrency_get_with_http_info
        busy = get()
        service.cancel(task_id)

    assert idle.work_concurrency_limit > 0, idle
    equal(busy.status_code, 200)
    equal(busy.data.work_concurrency_in_use - idle.work_concurrency_in_use, 1)


def concurrency_can_be_read_unparsed_and_needs_a_key(service):
    get = service.usage.get_concurrency_usage_v1_usage_concurrency_get_without_preload_content
    body = get().json()
    unknown = service.usage_with("wrong")
    refused = raised(
        UnauthorizedException, unknown.get_concurrency_usage_v1_usage_concurrency_get
    )

    equal(sorted(body), ["work_concurrency_in_use", "work_concurrency_limit"])
    error_object(refused, "UNAUTHORIZED")


def gscraper_shows_statistics_and_usage(service):
    dates = ("--start-date", "2026-03-01", "--end-date", "2026-03-03T12:00:00+02:00")
    code, statistics = gscraper(service, "stats", *dates)
    equal((code, statistics["ok"]), (0, True))
    equal(len(statistics["result"]["requests"]), 3)

    code, usage = gscraper(service, "usage", "concurrency")
    equal((code, usage["ok"]), (0, True))
    assert usage["result"]["work_concurrency_limit"] > 0, usage


def gscraper_shows_refusals_of_statistics(service):
    code, long = gscraper(service, "stats", "--start-date", "2024-01-01", "--end-date", "2026-01-01")
    equal((code, long["error"]["status"]), (6, 422))

    code, refused = gscraper(service, "usage", "concurrency", api_key="wrong")
    equal((code, refused["error"]["status"]), (4, 401))


def _statistics(service):
    return service.statistics.get_statistics_v1_statistics_get()


def _sum(statistics, field):
    return sum(getattr(day, field) for day in statistics.requests)
