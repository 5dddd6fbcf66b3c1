"""The service as the vendor's client sees it, with a note of every method that was called."""

from geonode_scraper_sdk import ApiClient, Configuration, SystemApi, WebhooksApi


class Service:
    def __init__(self, url, api_key):
        self.url = url
        self.called = set()
        self.system = _Noted(SystemApi(self._client()), self.called)
        self.webhooks = self.webhooks_with(api_key)
        self._cleaner = WebhooksApi(self._client(api_key))

    def webhooks_with(self, api_key):
        return _Noted(WebhooksApi(self._client(api_key)), self.called)

    def delete_every_webhook(self):
        for webhook in self._cleaner.list_webhooks_v1_webhooks_get().items:
            self._cleaner.delete_webhook_v1_webhooks_webhook_id_delete(webhook.id)

    def _client(self, api_key=None):
        keys = {"ApiKeyAuth": api_key} if api_key else {}
        return ApiClient(Configuration(host=self.url, api_key=keys))


class _Noted:
    def __init__(self, api, called):
        self._api = api
        self._called = called

    def __getattr__(self, name):
        self._called.add((type(self._api).__name__, name))
        return getattr(self._api, name)
