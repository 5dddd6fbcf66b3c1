"""The service through the vendor's client; records every method that was called."""

import urllib3
from geonode_scraper_sdk import (
    ApiClient,
    BatchApi,
    Configuration,
    CrawlApi,
    ExtractionApi,
    MapApi,
    SearchApi,
    StatisticsApi,
    SystemApi,
    UsageApi,
    WebhooksApi,
)

SCRAPE = "/api/scraper/scrape"
# No server listens there; these checks do not need the callbacks.
CALLBACK = "http://127.0.0.1:8099/callback"


class Service:
    def __init__(self, url, api_key, password):
        self.url = url
        self.api_key = api_key
        self.password = ("admin", password)
        self.called = set()
        self.system = _Recorded(SystemApi(self._client()), self.called)
        self.webhooks = self.webhooks_with(api_key)
        self.extraction = self.extraction_with(api_key)
        self.batch = self.batch_with(api_key)
        self.crawl = self.crawl_with(api_key)
        self.map = self.map_with(api_key)
        self.statistics = self.statistics_with(api_key)
        self.usage = self.usage_with(api_key)
        self.search = _Recorded(SearchApi(self._client(api_key)), self.called)
        self._cleaner = WebhooksApi(self._client(api_key))

    def webhooks_with(self, api_key):
        return _Recorded(WebhooksApi(self._client(api_key)), self.called)

    def extraction_with(self, api_key):
        return _Recorded(ExtractionApi(self._client(api_key)), self.called)

    def batch_with(self, api_key):
        return _Recorded(BatchApi(self._client(api_key)), self.called)

    def crawl_with(self, api_key):
        return _Recorded(CrawlApi(self._client(api_key)), self.called)

    def map_with(self, api_key):
        return _Recorded(MapApi(self._client(api_key)), self.called)

    def statistics_with(self, api_key):
        return _Recorded(StatisticsApi(self._client(api_key)), self.called)

    def usage_with(self, api_key):
        return _Recorded(UsageApi(self._client(api_key)), self.called)

    def scrape_now(self, url, **configurations):
        """Runs a realtime scrape, for which the client has no method, and returns the task id."""
        body = {"url": url, "configurations": configurations}
        return self._request("POST", f"{SCRAPE}/realtime", json=body).headers["X-Request-Id"]

    def submit(self, url):
        body = {"url": url, "callbackUrl": CALLBACK}
        return self._request("POST", f"{SCRAPE}/callback", json=body).json()["requestId"]

    def cancel(self, task_id):
        self._request("DELETE", f"{SCRAPE}/callback/{task_id}")

    def delete_every_webhook(self):
        for webhook in self._cleaner.list_webhooks_v1_webhooks_get().items:
            self._cleaner.delete_webhook_v1_webhooks_webhook_id_delete(webhook.id)

    def _request(self, method, path, **options):
        headers = {"X-Api-Key": self.api_key}
        return urllib3.request(method, self.url + path, headers=headers, timeout=20, **options)

    def _client(self, api_key=None):
        keys = {"ApiKeyAuth": api_key} if api_key else {}
        return ApiClient(Configuration(host=self.url, api_key=keys))


class _Recorded:
    def __init__(self, api, called):
        self._api = api
        self._called = called

    def __getattr__(self, name):
        self._called.add((type(self._api).__name__, name))
        return getattr(self._api, name)
