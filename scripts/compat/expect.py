"""Assertions of the checks, with expected and actual values in the message."""

from geonode_scraper_sdk import ErrorResponse, HTTPValidationError


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"expected {expected!r}, got {actual!r}")


def raised(kind, call, *args, **options):
    try:
        response = call(*args, **options)
    except kind as exception:
        return exception
    raise AssertionError(f"expected {kind.__name__}, got the response {response!r}")


def error_object(exception, code):
    """The client drops a body that does not fit its model, so a model that is present did fit."""
    if not isinstance(exception.data, ErrorResponse):
        raise AssertionError(f"no ErrorResponse was read from {exception.body}")
    _same_error(exception.data, exception, code)


def error_object_without_model(exception, code):
    """For a status that the client has an exception for, but no model."""
    _same_error(ErrorResponse.from_json(exception.body), exception, code)


def headers_of(response):
    """Header names are case-insensitive, but the client's `with_http_info` keeps them as sent."""
    return {name.lower(): value for name, value in response.headers.items()}


def faults(exception, expected):
    """A 422 fits two models: the client parses some as the one and some as the other."""
    _same_error(ErrorResponse.from_json(exception.body), exception, "VALIDATION_ERROR")
    detail = HTTPValidationError.from_json(exception.body).detail
    equal([([part.actual_instance for part in one.loc], one.type) for one in detail], expected)
    if not all(one.msg for one in detail):
        raise AssertionError(f"a fault without a message in {exception.body}")


def _same_error(error, exception, code):
    equal(error.code, code)
    equal(error.retryable, False)
    equal(error.correlation_id, exception.headers["X-Request-Id"])
    if not error.message:
        raise AssertionError("the error has no message")
