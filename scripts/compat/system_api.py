"""The client's SystemApi: health, which needs no key."""

from datetime import datetime, timedelta, timezone

from geonode_scraper_sdk import HealthStatus

from expect import equal, headers_of


def health_needs_no_key(service):
    health = service.system.health_check_health_get()

    # It is degraded where there is no Chromium.
    assert health.status in (HealthStatus.OK, HealthStatus.DEGRADED), health.status
    equal(health.service, "trawl")
    assert health.version
    equal(health.timestamp.utcoffset(), timedelta(0))
    assert abs(datetime.now(timezone.utc) - health.timestamp) < timedelta(minutes=1)


def health_comes_with_its_status_and_headers(service):
    response = service.system.health_check_health_get_with_http_info()

    equal(response.status_code, 200)
    equal(headers_of(response)["content-type"], "application/json; charset=utf-8")
    assert headers_of(response)["x-request-id"]
    equal(response.data.service, "trawl")


def health_can_be_read_unparsed(service):
    response = service.system.health_check_health_get_without_preload_content()

    equal(response.status, 200)
    equal(sorted(response.json()), ["service", "status", "timestamp", "version"])
