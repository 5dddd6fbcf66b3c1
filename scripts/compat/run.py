"""Runs every check against the service at TRAWL_URL; scripts/compat.ts counts the results.

A check is a public function of the modules below; its name is a sentence about behaviour. Before each
check the account has no webhooks.
"""

import os
import sys
import traceback
from types import FunctionType

import geonode_scraper_sdk

import batch_api
import crawl_api
import every_method
import extraction_api
import generated_client
import map_api
import openapi_document
import python_page
import search_api
import system_api
import usage_api
import webhooks_api
from service import Service

# every_method is last, since it checks which methods the others called.
MODULES = [
    system_api,
    webhooks_api,
    extraction_api,
    batch_api,
    crawl_api,
    map_api,
    usage_api,
    search_api,
    openapi_document,
    generated_client,
    python_page,
    every_method,
]


def main():
    given = (os.environ[name] for name in ("TRAWL_URL", "TRAWL_API_KEY", "TRAWL_PASSWORD"))
    service = Service(*given)
    python = ".".join(map(str, sys.version_info[:3]))
    print(f"geonode-scraper-sdk {geonode_scraper_sdk.__version__} on Python {python}")
    outcomes = [run(check, service) for module in MODULES for check in checks_of(module)]
    return 0 if all(outcomes) else 1


def checks_of(module):
    return [
        value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    ]


def run(check, service):
    sentence = check.__name__.replace("_", " ")
    try:
        service.delete_every_webhook()
        check(service)
    except Exception:
        print(f"✗ {sentence}")
        print("    " + traceback.format_exc().strip().replace("\n", "\n    "))
        return False
    print(f"✓ {sentence}")
    return True


sys.exit(main())
