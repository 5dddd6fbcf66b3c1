"""Every method of the client, in each of its three forms, is called by a check."""

import inspect

import geonode_scraper_sdk

from expect import equal


def every_method_of_the_client_is_called_here(service):
    methods = {
        (api, name)
        for api, kind in inspect.getmembers(geonode_scraper_sdk, inspect.isclass)
        if api.endswith("Api")
        for name, _ in inspect.getmembers(kind, callable)
        if not name.startswith("_")
    }

    equal(sorted(methods - service.called), [])
