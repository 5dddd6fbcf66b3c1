"""The client's WebhooksApi: every method in its three forms, every response it has a model for."""

from datetime import timedelta
from uuid import UUID

from geonode_scraper_sdk import HTTPValidationError, WebhookCreate, WebhookEventType, WebhookUpdate
from geonode_scraper_sdk.exceptions import (
    ConflictException,
    NotFoundException,
    UnauthorizedException,
    UnprocessableEntityException,
)

from expect import (
    equal,
    error_object,
    error_object_without_model,
    faults,
    headers_of,
    raised,
)

URL = "http://127.0.0.1:8099/hook"
UNKNOWN = UUID("01890000-0000-7000-8000-000000000000")


def a_list_without_webhooks_is_empty_and_has_no_pages(service):
    found = service.webhooks.list_webhooks_v1_webhooks_get()

    equal((found.items, found.page, found.page_size, found.page_count), ([], 1, 100, 0))


def a_list_comes_in_pages_newest_first(service):
    created = [_create(service, description=str(number)).id for number in range(5)]

    pages = [_list(service, page=page, page_size=2) for page in (1, 2, 3)]

    ids = [webhook.id for page in pages for webhook in page.items]
    equal(ids, list(reversed(created)))
    equal([len(page.items) for page in pages], [2, 2, 1])
    equal([page.page for page in pages], [1, 2, 3])
    equal({(page.page_size, page.page_count) for page in pages}, {(2, 3)})


def a_page_past_the_end_is_empty(service):
    _create(service)

    for page in (2, 1_000_000):
        found = _list(service, page=page, page_size=100)
        equal((found.items, found.page, found.page_size, found.page_count), ([], page, 100, 1))


def a_webhook_can_be_created_for_each_event_type(service):
    for event_type in WebhookEventType:
        created = _create(service, event_type=event_type, description=event_type.value)

        equal(created.event_type, event_type)
        equal(created.description, event_type.value)
        equal(created.url, URL)
        equal(created.is_active, True)
        equal(created.id.version, 7)
        equal(created.created_at.utcoffset(), timedelta(0))
        equal(created.updated_at, created.created_at)
        assert created.secret.startswith("whsec_"), created.secret
    equal(_list(service).page_count, 1)
    equal(len(_list(service).items), len(WebhookEventType))


def a_description_left_out_or_null_is_empty(service):
    equal(_create(service).description, "")
    equal(_create(service, description=None).description, "")


def a_webhook_can_be_read_and_listed_without_its_secret(service):
    created = _create(service, description="mine")

    got = service.webhooks.get_webhook_v1_webhooks_webhook_id_get_with_http_info(created.id)
    listed = service.webhooks.list_webhooks_v1_webhooks_get_with_http_info()

    shown = {name: value for name, value in created.to_dict().items() if name != "secret"}
    equal(got.data.to_dict(), shown)
    equal([webhook.to_dict() for webhook in listed.data.items], [shown])
    for response in (got, listed):
        assert b"whsec_" not in response.raw_data and b"secret" not in response.raw_data


def an_update_changes_what_it_names_and_nothing_else(service):
    changes = {
        "url": "http://127.0.0.1:8099/other",
        "description": "changed",
        "is_active": False,
        "event_type": WebhookEventType.BATCH_COMPLETED,
    }
    webhook = _get(service, _create(service, description="as it was").id)
    for name, value in changes.items():
        updated = _update(service, webhook.id, **{name: value})

        equal(_without_update_time(updated), {**_without_update_time(webhook), name: value})
        assert updated.updated_at >= webhook.updated_at
        equal(_get(service, webhook.id), updated)
        webhook = updated


def an_update_can_change_everything_at_once(service):
    created = _create(service)

    updated = _update(
        service,
        created.id,
        url="http://127.0.0.1:8099/other",
        description="changed",
        is_active=False,
        event_type=WebhookEventType.CRAWL_COMPLETED,
    )

    equal(updated.url, "http://127.0.0.1:8099/other")
    equal((updated.description, updated.is_active), ("changed", False))
    equal(updated.event_type, WebhookEventType.CRAWL_COMPLETED)
    equal((updated.id, updated.created_at), (created.id, created.created_at))


def an_empty_update_and_one_with_null_fields_change_nothing(service):
    webhook = _get(service, _create(service, description="stays").id)

    for change in ({}, {"url": None, "description": None, "is_active": None, "event_type": None}):
        updated = _update(service, webhook.id, **change)
        equal(_without_update_time(updated), _without_update_time(webhook))


def a_description_can_be_removed(service):
    created = _create(service, description="too much")

    equal(_update(service, created.id, description="").description, "")


def a_deleted_webhook_gets_404_and_the_others_stay(service):
    kept, deleted = _create(service), _create(service)

    response = service.webhooks.delete_webhook_v1_webhooks_webhook_id_delete(deleted.id)

    equal(response, None)
    equal([webhook.id for webhook in _list(service).items], [kept.id])
    error_object(raised(NotFoundException, _get, service, deleted.id), "NOT_FOUND")
    again = raised(
        NotFoundException,
        service.webhooks.delete_webhook_v1_webhooks_webhook_id_delete,
        deleted.id,
    )
    error_object(again, "NOT_FOUND")


def each_rotation_gives_another_secret(service):
    created = _create(service)
    rotate = service.webhooks.rotate_secret_v1_webhooks_webhook_id_rotate_secret_post

    secrets = [created.secret, rotate(created.id).secret, rotate(created.id).secret]

    assert all(secret.startswith("whsec_") for secret in secrets), secrets
    equal(len(set(secrets)), 3)


def a_webhook_without_events_has_no_deliveries(service):
    webhook = _create(service)
    deliveries = service.webhooks.list_deliveries_v1_webhooks_webhook_id_deliveries_get

    found = deliveries(webhook.id)
    equal((found.items, found.page, found.page_size, found.page_count), ([], 1, 100, 0))

    for status in ("pending", "delivered", "failed", "skipped"):
        found = deliveries(webhook.id, page=2, page_size=5, status=status)
        equal((found.items, found.page, found.page_size, found.page_count), ([], 2, 5, 0))


def every_response_has_its_status_and_headers(service):
    responses = _responses_in_form(service, "with_http_info")

    equal({name: response.status_code for name, response in responses.items()}, STATUSES)
    for name, response in responses.items():
        assert headers_of(response)["x-request-id"], name
        if response.status_code == 204:
            equal((response.data, response.raw_data), (None, b""))
        else:
            equal(headers_of(response)["content-type"], "application/json; charset=utf-8")


def every_response_can_be_read_unparsed(service):
    responses = _responses_in_form(service, "without_preload_content")

    equal({name: response.status for name, response in responses.items()}, STATUSES)
    webhook = ["created_at", "description", "event_type", "id", "is_active", "updated_at", "url"]
    page = ["items", "page", "page_count", "page_size"]
    fields = {name: sorted(one.json()) for name, one in responses.items() if one.status != 204}
    expected = {
        "create": sorted([*webhook, "secret"]),
        "get": webhook,
        "update": webhook,
        "list": page,
        "rotate": ["secret"],
        "deliveries": page,
    }
    equal(fields, expected)


def a_wrong_key_gets_401_everywhere(service):
    for key in ("not-the-key-of-this-service", "x"):
        for call in _calls(service.webhooks_with(key), UNKNOWN).values():
            error_object(raised(UnauthorizedException, call), "UNAUTHORIZED")


def a_request_without_a_key_gets_401_everywhere(service):
    for call in _calls(service.webhooks_with(None), UNKNOWN).values():
        error_object(raised(UnauthorizedException, call), "UNAUTHORIZED")


def an_unknown_webhook_gets_404(service):
    calls = _calls(service.webhooks, UNKNOWN)
    for name in ("get", "update", "rotate", "deliveries", "delete"):
        error_object(raised(NotFoundException, calls[name]), "NOT_FOUND")


def all_faults_of_a_new_webhook_are_reported_at_once(service):
    wrong = {"url": "ftp://127.0.0.1/", "description": "x" * 256}

    refused = raised(UnprocessableEntityException, _create, service, **wrong)

    error_object(refused, "VALIDATION_ERROR")
    expected = [(["body", "url"], "url_parsing"), (["body", "description"], "string_too_long")]
    faults(refused, expected)
    equal(_list(service).items, [])


def an_update_with_faults_gets_422_and_changes_nothing(service):
    webhook = _get(service, _create(service).id)

    refused = raised(UnprocessableEntityException, _update, service, webhook.id, url="no url")

    error_object(refused, "VALIDATION_ERROR")
    faults(refused, [(["body", "url"], "url_parsing")])
    equal(_get(service, webhook.id), webhook)


def faults_of_a_query_are_parsed_as_validation_errors(service):
    webhook = _create(service)
    deliveries = service.webhooks.list_deliveries_v1_webhooks_webhook_id_deliveries_get

    # The client itself refuses a page below 1 and a page size above 100.
    too_small = [(["query", "page_size"], "greater_than_equal")]
    for refused, expected in [
        (raised(UnprocessableEntityException, _list, service, page_size=0), too_small),
        (raised(UnprocessableEntityException, deliveries, webhook.id, page_size=-1), too_small),
        (
            raised(UnprocessableEntityException, deliveries, webhook.id, status="lost"),
            [(["query", "status"], "literal_error")],
        ),
    ]:
        assert isinstance(refused.data, HTTPValidationError), refused.body
        faults(refused, expected)


def a_webhook_url_that_deliveries_may_not_reach_gets_422(service):
    metadata_service = "http://169.254.169.254/"
    webhook = _create(service)

    refusals = [
        raised(UnprocessableEntityException, _create, service, url=metadata_service),
        raised(UnprocessableEntityException, _update, service, webhook.id, url=metadata_service),
    ]

    for refused in refusals:
        error_object(refused, "URL_NOT_ALLOWED")


def the_eleventh_webhook_gets_409_until_one_is_deleted(service):
    webhooks = [_create(service) for _ in range(10)]

    error_object_without_model(raised(ConflictException, _create, service), "CONFLICT")
    equal(len(_list(service).items), 10)

    service.webhooks.delete_webhook_v1_webhooks_webhook_id_delete(webhooks[0].id)
    _create(service)
    equal(len(_list(service).items), 10)


STATUSES = {
    "create": 201,
    "get": 200,
    "update": 200,
    "list": 200,
    "rotate": 200,
    "deliveries": 200,
    "delete": 204,
}


def _calls(api, webhook_id, form=""):
    """Every method of the client, once, in the order of a webhook's life."""
    suffix = f"_{form}" if form else ""

    def call(name, *args):
        return lambda: getattr(api, name + suffix)(*args)

    new = WebhookCreate(url=URL, event_type=WebhookEventType.EXTRACT_COMPLETED)
    change = WebhookUpdate(description="changed")
    return {
        "create": call("create_webhook_v1_webhooks_post", new),
        "get": call("get_webhook_v1_webhooks_webhook_id_get", webhook_id),
        "update": call("update_webhook_v1_webhooks_webhook_id_patch", webhook_id, change),
        "list": call("list_webhooks_v1_webhooks_get"),
        "rotate": call("rotate_secret_v1_webhooks_webhook_id_rotate_secret_post", webhook_id),
        "deliveries": call("list_deliveries_v1_webhooks_webhook_id_deliveries_get", webhook_id),
        "delete": call("delete_webhook_v1_webhooks_webhook_id_delete", webhook_id),
    }


def _responses_in_form(service, form):
    webhook = _create(service)
    return {name: call() for name, call in _calls(service.webhooks, webhook.id, form).items()}


def _create(service, url=URL, event_type=WebhookEventType.EXTRACT_COMPLETED, **optional):
    new = WebhookCreate(url=url, event_type=event_type, **optional)
    return service.webhooks.create_webhook_v1_webhooks_post(new)


def _get(service, webhook_id):
    return service.webhooks.get_webhook_v1_webhooks_webhook_id_get(webhook_id)


def _list(service, **page):
    return service.webhooks.list_webhooks_v1_webhooks_get(**page)


def _update(service, webhook_id, **changes):
    change = WebhookUpdate(**changes)
    return service.webhooks.update_webhook_v1_webhooks_webhook_id_patch(webhook_id, change)


def _without_update_time(webhook):
    return {name: value for name, value in webhook.to_dict().items() if name != "updated_at"}
