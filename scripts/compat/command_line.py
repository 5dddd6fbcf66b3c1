"""The vendor's command line, gscraper, against the service."""

import json
import os
import subprocess
import sys

# Run as a module, since the installed script names the folder in which it was built.
PROGRAM = [sys.executable, "-E", "-s", "-B", "-m", "geonode_scraper_cli.main"]


def gscraper(service, *arguments, api_key=None):
    """Returns the exit code and the JSON envelope that the command printed."""
    options = ["--host", service.url, "--api-key", api_key or service.api_key, "--json"]
    # Without the user's own configuration.
    environment = {"PATH": os.environ["PATH"], "GEONODE_SCRAPER_CONFIG": os.devnull}
    ended = subprocess.run(
        [*PROGRAM, *options, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    try:
        return ended.returncode, json.loads(ended.stdout)
    except json.JSONDecodeError:
        raise AssertionError(f"no JSON but {ended.stdout!r} and {ended.stderr!r}") from None
