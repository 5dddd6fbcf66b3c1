"""Methods of the client whose routes the service does not have yet; the others have checks."""

LATER = {
    "BatchApi": {
        "create_batch_v1_batch_post": "POST /v1/batch",
        "get_batch_status_v1_batch_job_id_get": "GET /v1/batch/{job_id}",
        "cancel_batch_v1_batch_job_id_delete": "DELETE /v1/batch/{job_id}",
        "list_batch_jobs_v1_batch_jobs_get": "GET /v1/batch/jobs",
    },
    "CrawlApi": {
        "create_crawl_v1_crawl_post": "POST /v1/crawl",
        "get_crawl_status_v1_crawl_job_id_get": "GET /v1/crawl/{job_id}",
        "cancel_crawl_v1_crawl_job_id_delete": "DELETE /v1/crawl/{job_id}",
        "list_crawl_jobs_v1_crawl_jobs_get": "GET /v1/crawl/jobs",
    },
    "MapApi": {
        "map_urls_v1_map_post": "POST /v1/map",
        "get_map_job_v1_map_job_id_get": "GET /v1/map/{job_id}",
        "list_map_jobs_v1_map_jobs_get": "GET /v1/map/jobs",
    },
}


def later_lines():
    return [f"{api}: {', '.join(names.values())}" for api, names in LATER.items()]
