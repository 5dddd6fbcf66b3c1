// Generated from the API description by `npm run generate`; do not edit.

export type AcceptedBatch = {
  /** The id of the job. */
  job_id: string
  status: 'queued' | 'processing'
  /** Where the job can be followed. */
  status_url: string
  accepted_urls: number
  /** Those that are not fetched, in order. */
  invalid_urls: Array<string>
  estimated_tokens: number
}

export type AcceptedCrawl = {
  /** The id of the job. */
  job_id: string
  url: string
  status: 'queued'
  /** Where the job can be followed. */
  status_url: string
  /** The limit, as nobody knows how many there are; 1 where `depth` is 1. */
  estimated_pages: number
}

export type AcceptedExtraction = {
  job_id: string
  status: 'queued'
  /** Where the job can be followed. */
  status_url: string
  estimated_tokens: number
}

export type AcceptedRetry = {
  /** The id of the task. */
  id: string
  status: 'queued'
  /** The task that it repeats. */
  retry_of: string
  /** Where the new task can be followed. */
  status_url: string
  /** ISO 8601, UTC. */
  created_at: string
}

export type AcceptedTask = {
  /** The id of the task. */
  requestId: string
  status: 'queued'
  /** Where the task can be followed. */
  statusUrl: string
  /** ISO 8601, UTC. */
  createdAt: string
}

export type ApiKey = {
  id: string
  /** What its owner calls it; empty where it was given no name. */
  name: string
  /** The first characters of the key, to tell keys apart. */
  prefix: string
  /** ISO 8601, UTC. */
  created_at: string
  /** To the minute; null before the first use. */
  last_used_at: string | null
}

export type ApiKeyList = {
  keys: Array<ApiKey>
}

export type BatchCompleted = {
  event: 'batch_completed'
  /** Null for the `callback_url` of a job. */
  webhook_id: string | null
  /** The same on every attempt. */
  delivery_id: string
  /** ISO 8601, UTC. */
  timestamp: string
  data: CompletedBatch | LargeJob
}

export type BatchJob = {
  /** The id of the job. */
  job_id: string
  status: TaskStatus
  batch_config: JobConfig
  token_summary: TokenSummary
  /** The accepted ones; the four counts add up to it. */
  total_urls: number
  completed_urls: number
  failed_urls: number
  cancelled_urls: number
  pending_urls: number
  invalid_urls: Array<string>
  /** ISO 8601, UTC. */
  created_at: string
  completed_at: string | null
  /** How the callback stands; null without one. */
  delivery: TaskDelivery | null
  /** In the order of the request. */
  results: Array<BatchResult>
}

export type BatchJobItem = {
  /** The id of the job. */
  job_id: string
  status: TaskStatus
  accepted_urls: number
  completed_urls: number
  failed_urls: number
  config: JobConfig
  /** ISO 8601, UTC. */
  created_at: string
  completed_at: string | null
}

export type BatchJobList = {
  jobs: Array<BatchJobItem>
  /** The page asked for. */
  page: number
  page_size: number
  /** How many pages there are; 0 when there is nothing. */
  page_count: number
}

export type BatchRequest = {
  /** The pages, in order: absolute, http or https. Each one is fetched, duplicates too. */
  urls: Array<string>
  /** Go on without invalid URLs; false refuses the batch and names them. Default: `true`. */
  ignore_invalid_urls?: boolean | undefined
  /** Gets the event `batch_completed`, signed with the callback secret. */
  callback_url?: string | undefined
  /** What the page is returned as, each in the field of its name. Default: `["markdown"]`. */
  formats?: Array<'html' | 'markdown' | 'text' | 'links' | 'metadata' | 'screenshot'> | undefined
  /** Run the page's JavaScript in a browser. `auto`: HTTP first, and a browser where the response shows that the page needs one, in the same attempt and for the same token. Default: `false`. */
  render_js?: boolean | 'auto' | undefined
  /** Sent to the target. */
  headers?: { [name: string]: string } | undefined
  /** The proxy to use; any by default, the pool's own choice. */
  proxy?: {
    /** ISO 3166-1 alpha-2, in capitals. */
    country?: string | null | undefined
    /** Default: `"residential"`. */
    type?: 'residential' | 'datacenter' | 'mix' | undefined
  } | undefined
  /** What a browser waits for, in this order; until the page is quiet by default. */
  wait_config?: {
    /** The state of the page to wait for. */
    wait_until?: 'commit' | 'domcontentloaded' | 'load' | 'networkidle' | undefined
    /** CSS selector, or XPath, of an element to wait for. */
    wait_for?: string | undefined
    /** A pause before the page is read, in ms. */
    wait_timeout?: number | undefined
  } | undefined
  /** How long the whole extraction may take, in ms. Default: `60000`. */
  timeout?: number | undefined
  /** Return a stored result of the same request if it is not older than this, in ms; 0 always fetches. Default: `0`. */
  max_age?: number | undefined
  /** A name of your own: requests with the same name share their cookies and their proxy, until it was not used for 30 minutes. Never answered from stored results (`max_age`). */
  session?: string | undefined
  /** Leave navigation, footers and the like out of `markdown` and `text`. Default: `false`. */
  only_main_content?: boolean | undefined
  /** Also return `links`. Default: `false`. */
  extract_links?: boolean | undefined
  /** Names and CSS selectors or XPaths; what they match is returned as `extracted`. */
  extract_rules?: ExtractRules | undefined
  /** Of the request to the target; any other than GET is never sent by a browser. Default: `"GET"`. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined
  /** Of the request to the target: text as it is, anything else as JSON; 256 KiB at most. */
  body?: unknown | undefined
  /** All options of a scrape; a field beside it wins over the same option in it. */
  configurations?: ScrapeOptions | undefined
}

export type BatchResult = {
  url: string
  status: TaskStatus
  error_code: ExtractionErrorCode | null
  error_message: string | null
  /** The fine code of the failure. */
  error_reason: string | null
  /** The page as a single task: `GET /v1/extract/{task_id}`. */
  task_id: string
  data: ExtractionData | null
  metadata: JobResultMetadata | null
  /** The place of the URL in the request, from 0. */
  input_index: number
}

export type CallbackScrape = {
  /** The page: absolute, http or https. */
  url: string
  configurations?: ScrapeOptions | undefined
  /** Comes back in status and callback as it is, 4 KiB of JSON at most. */
  metadata?: { [name: string]: unknown } | undefined
  /** How long each attempt may take. Default: `60000`. */
  timeout_ms?: number | undefined
  /** Where the result is posted to: absolute, http or https. */
  callbackUrl: string
  /** Whether the callback is also sent when the task failed. Default: `true`. */
  callback_on_failure?: boolean | undefined
}

export type CancelledBatch = {
  /** The id of the job. */
  job_id: string
  status: 'cancelled'
  /** Where the job can be followed. */
  status_url: string
  /** Those that were running; they end. */
  in_flight_urls: number
}

export type CancelledCrawl = {
  /** The id of the job. */
  job_id: string
  status: 'cancelled'
  /** Where the job can be followed. */
  status_url: string
  /** Those that were running; they end. */
  in_flight_pages: number
}

export type Capabilities = {
  service: 'trawl'
  version: string
  store: 'sqlite' | 'postgres'
  roles: Array<'api' | 'worker' | 'delivery'>
  engines: {
    /** Chromium, for tasks that need a browser. */
    browser: {
      /** `ready` also where only another worker has one; then the rest is null. */
      state: 'absent' | 'installing' | 'broken' | 'ready'
      version: string | null
      flavor: 'shell' | 'chrome' | null
      /** Null until it was started. */
      sandbox: 'on' | 'off' | null
      /** Whether a page could be opened, tried no longer than half a minute ago. */
      opens_pages: boolean | null
    }
  }
  proxies: {
    /** 0: connections are direct. */
    total: number
    residential: number
    datacenter: number
    /** ISO 3166-1 alpha-2, of those that have one. */
    countries: Array<string>
    /** Whether some are in whatever country is asked for. */
    any_country: boolean
    /** Those that refused lately and are chosen last, by this process. */
    cooling_down: number
  }
  limits: {
    /** Largest request body taken. */
    body_bytes_max: number
  }
}

export type ChangedWhitelistedIps = {
  /** The whole list, oldest first. */
  data: Array<{
    /** In canonical form. */
    ip: string
    description: string
    /** 24 hexadecimal digits, given by the service. */
    _id: string
  }>
  message: {
    title: string
    body: string
    /** `success`. */
    variant: string
  }
}

export type ClickAction = {
  action: 'click' | 'click_and_wait_for_navigation'
  /** CSS selector. */
  selector: string
  options?: {
    /** Milliseconds between press and release. Default: `0`. */
    delay?: number | undefined
    /** Default: `"left"`. */
    button?: 'left' | 'right' | 'middle' | undefined
    /** Default: `1`. */
    clickCount?: number | undefined
    /** Whether the scenario goes on when this action fails. Default: `false`. */
    optional?: boolean | undefined
  } | undefined
}

/** Results have no `data` and no `metadata`. */
export type CompletedBatch = {
  /** The id of the job. */
  job_id: string
  status: TaskStatus
  batch_config: JobConfig
  token_summary: TokenSummary
  /** The accepted ones; the four counts add up to it. */
  total_urls: number
  completed_urls: number
  failed_urls: number
  cancelled_urls: number
  pending_urls: number
  invalid_urls: Array<string>
  /** ISO 8601, UTC. */
  created_at: string
  completed_at: string | null
  /** In the order of the request. */
  results: Array<BatchResult>
}

/** Results have no `data` and no `metadata`. */
export type CompletedCrawl = {
  /** The id of the job. */
  job_id: string
  url: string
  status: TaskStatus
  crawl_config: CrawlConfig
  token_summary: TokenSummary
  /** The pages chosen so far; the four counts add up to it. */
  total_pages: number
  completed_pages: number
  failed_pages: number
  cancelled_pages: number
  pending_pages: number
  /** ISO 8601, UTC. */
  created_at: string
  completed_at: string | null
  /** Breadth first, in the order of the links. */
  results: Array<CrawlResult>
}

export type ConcurrencyUsage = {
  /** Tasks of the account that are running. */
  work_concurrency_in_use: number
  /** `TRAWL_ACCOUNT_RUNNING_MAX`; if it is not set, what all workers can run at once. */
  work_concurrency_limit: number
}

export type CrawlCompleted = {
  event: 'crawl_completed'
  /** Null for the `callback_url` of a job. */
  webhook_id: string | null
  /** The same on every attempt. */
  delivery_id: string
  /** ISO 8601, UTC. */
  timestamp: string
  data: CompletedCrawl | LargeJob
}

export type CrawlConfig = {
  render_js: boolean
  /** Those of the two that were asked for. */
  formats: Array<'html' | 'markdown'>
  all_formats: Array<'html' | 'markdown' | 'text' | 'links' | 'metadata' | 'screenshot'>
  proxy: {
    country: string | null
    type: 'residential' | 'datacenter' | 'mix'
  }
  /** As given, `***` for credentials. */
  headers: { [name: string]: string } | null
  wait_config: WaitConfig | null
  same_domain_only: boolean
  include_subdomains: boolean
}

export type CrawlJob = {
  /** The id of the job. */
  job_id: string
  url: string
  status: TaskStatus
  crawl_config: CrawlConfig
  token_summary: TokenSummary
  /** The pages chosen so far; the four counts add up to it. */
  total_pages: number
  completed_pages: number
  failed_pages: number
  cancelled_pages: number
  pending_pages: number
  /** Found and not chosen yet, so not among the counts; 0 once the crawl has ended. */
  frontier_pages: number
  /** ISO 8601, UTC. */
  created_at: string
  completed_at: string | null
  /** How the callback stands; null without one. */
  delivery: TaskDelivery | null
  /** Breadth first, in the order of the links. */
  results: Array<CrawlResult>
}

export type CrawlJobItem = {
  /** The id of the job. */
  job_id: string
  url: string
  status: TaskStatus
  total_pages: number
  completed_pages: number
  failed_pages: number
  config: CrawlConfig
  /** ISO 8601, UTC. */
  created_at: string
  completed_at: string | null
}

export type CrawlJobList = {
  jobs: Array<CrawlJobItem>
  /** The page asked for. */
  page: number
  page_size: number
  /** How many pages there are; 0 when there is nothing. */
  page_count: number
}

export type CrawlRequest = {
  /** The seed page: absolute, http or https. */
  url: string
  /** How deep to follow links; 1 is the seed page only. Default: `2`. */
  depth?: number | undefined
  /** How many pages at most. Default: `50`. */
  limit?: number | undefined
  /** Stay on the seed page's host; `www.` counts as the same. Default: `true`. */
  same_domain_only?: boolean | undefined
  /** Follow links to subdomains too. Default: `false`. */
  include_subdomains?: boolean | undefined
  /** Only these paths; the seed page is exempt. Globs on the path; `*` stands for any characters, `/` too. */
  include_paths?: Array<string> | undefined
  /** Not these paths; the seed page is exempt. Globs on the path; `*` stands for any characters, `/` too. */
  exclude_paths?: Array<string> | undefined
  /** Obey robots.txt. Default: `true`. */
  respect_robots?: boolean | undefined
  /** Pause between two pages of a host, one at a time, for the crawls of the account. Default: `0`. */
  delay_ms?: number | undefined
  /** Begin with the pages of sitemaps too. Default: `false`. */
  use_sitemaps?: boolean | undefined
  /** Gets the event `crawl_completed`, signed with the callback secret. */
  callback_url?: string | undefined
  /** What the page is returned as, each in the field of its name. Default: `["markdown"]`. */
  formats?: Array<'html' | 'markdown' | 'text' | 'links' | 'metadata' | 'screenshot'> | undefined
  /** Run the page's JavaScript in a browser. `auto`: HTTP first, and a browser where the response shows that the page needs one, in the same attempt and for the same token. Default: `false`. */
  render_js?: boolean | 'auto' | undefined
  /** Sent to the target. */
  headers?: { [name: string]: string } | undefined
  /** The proxy to use; any by default, the pool's own choice. */
  proxy?: {
    /** ISO 3166-1 alpha-2, in capitals. */
    country?: string | null | undefined
    /** Default: `"residential"`. */
    type?: 'residential' | 'datacenter' | 'mix' | undefined
  } | undefined
  /** What a browser waits for, in this order; until the page is quiet by default. */
  wait_config?: {
    /** The state of the page to wait for. */
    wait_until?: 'commit' | 'domcontentloaded' | 'load' | 'networkidle' | undefined
    /** CSS selector, or XPath, of an element to wait for. */
    wait_for?: string | undefined
    /** A pause before the page is read, in ms. */
    wait_timeout?: number | undefined
  } | undefined
  /** How long the whole extraction may take, in ms. Default: `60000`. */
  timeout?: number | undefined
  /** Return a stored result of the same request if it is not older than this, in ms; 0 always fetches. Default: `0`. */
  max_age?: number | undefined
  /** A name of your own: requests with the same name share their cookies and their proxy, until it was not used for 30 minutes. Never answered from stored results (`max_age`). */
  session?: string | undefined
  /** Leave navigation, footers and the like out of `markdown` and `text`. Default: `false`. */
  only_main_content?: boolean | undefined
  /** Also return `links`. Default: `false`. */
  extract_links?: boolean | undefined
  /** Names and CSS selectors or XPaths; what they match is returned as `extracted`. */
  extract_rules?: ExtractRules | undefined
  /** Of the request to the target; any other than GET is never sent by a browser. Default: `"GET"`. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined
  /** Of the request to the target: text as it is, anything else as JSON; 256 KiB at most. */
  body?: unknown | undefined
  /** All options of a scrape; a field beside it wins over the same option in it. */
  configurations?: ScrapeOptions | undefined
}

export type CrawlResult = {
  url: string
  status: TaskStatus
  error_code: ExtractionErrorCode | null
  error_message: string | null
  /** The fine code of the failure. */
  error_reason: string | null
  /** The page as a single task: `GET /v1/extract/{task_id}`. */
  task_id: string
  data: ExtractionData | null
  metadata: JobResultMetadata | null
  /** The first page that links to it; null for the seed. */
  parent_url: string | null
  /** 1 for the seed page. */
  depth: number
  /** Every link of the page, followed or not. */
  links: Array<string>
}

export type CreatedApiKey = {
  id: string
  /** What its owner calls it; empty where it was given no name. */
  name: string
  /** The first characters of the key, to tell keys apart. */
  prefix: string
  /** ISO 8601, UTC. */
  created_at: string
  /** To the minute; null before the first use. */
  last_used_at: string | null
  /** The key itself, shown here only. */
  key: string
}

export type CreatedWebhook = {
  id: string
  /** Where events are posted to. */
  url: string
  /** Free text. */
  description: string
  /** Whether events are sent; false pauses. */
  is_active: boolean
  /** Which events to hear of. */
  event_type: EventType
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
  /** `whsec_…`; signs every delivery. */
  secret: string
}

export type DeliveryAttempt = {
  /** From 1. */
  number: number
  /** ISO 8601, UTC. */
  started_at: string
  duration_ms: number
  /** What the receiver answered; null where it did not. */
  http_status: number | null
  /** Why the attempt failed. */
  error: string | null
  /** The first 1 KiB of the receiver's response body. */
  response_excerpt: string | null
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'skipped'

export type Domain = {
  /** `*` has what goes beyond 1000 hosts of a day. */
  host: string
  completed: number
  /** Cancelled tasks are in neither. */
  failed: number
  /** Attempts after the first. */
  retries: number
  /** By the engine of the last attempt. */
  engines: {
    http: number
    browser: number
  }
  /** Failed tasks by their code. */
  codes: { [name: string]: number }
  /** Completed tasks by the HTTP status of the target. */
  statuses: { [name: string]: number }
  /** Half of the tasks took no longer; null without tasks. */
  p50_ms: number | null
  p95_ms: number | null
  p99_ms: number | null
  /** Completed tasks with the status 401, 403, 407 or 429. */
  blocked: number
  /** The days with any tasks, in order. */
  days: Array<{
    date: string
    completed: number
    failed: number
  }>
}

export type Engine = 'http' | 'browser'

export type ErrorObject = {
  /** What went wrong; the reference lists every code. */
  code: string
  /** What went wrong and what to do next, for a person. */
  message: string
  /** Names this request in the log; also in `X-Request-Id`. */
  correlation_id: string
  /** Whether repeating the request may succeed. */
  retryable: boolean
}

export type ErrorTextObject = {
  /** What went wrong; the reference lists every code. */
  code: string
  /** What went wrong and what to do next, for a person. */
  message: string
  /** Names this request in the log; also in `X-Request-Id`. */
  correlation_id: string
  /** Whether repeating the request may succeed. */
  retryable: boolean
  /** The same as a text; `Invalid input data.` for bad input. */
  error: string
}

export type EvaluateAction = {
  action: 'evaluate'
  /** A script; its last value is returned. */
  value: string
  options?: {
    /** Whether the scenario goes on when this action fails. Default: `false`. */
    optional?: boolean | undefined
  } | undefined
}

export type EventType = 'extract_completed' | 'batch_completed' | 'crawl_completed'

export type ExtractCompleted = {
  event: 'extract_completed'
  /** The webhook that the event is for. */
  webhook_id: string
  /** The same on every attempt. */
  delivery_id: string
  /** ISO 8601, UTC. */
  timestamp: string
  data: ExtractJob | LargeJob
}

export type ExtractJob = {
  job_id: string
  status: TaskStatus
  /** ISO 8601, UTC. */
  created_at: string
  completed_at: string | null
  data: ExtractionData | null
  metadata: ExtractionMetadata | null
  error: ExtractionError | null
  tokens_charged: number | null
}

export type ExtractJobItem = {
  job_id: string
  status: TaskStatus
  url: string
  /** ISO 8601, UTC. */
  created_at: string
  /** In ms; null while it runs. */
  execution_time: number | null
  /** Those of the two that were asked for. */
  output: Array<'html' | 'markdown'>
  all_formats: Array<'html' | 'markdown' | 'text' | 'links' | 'metadata' | 'screenshot'>
}

export type ExtractJobList = {
  jobs: Array<ExtractJobItem>
  /** The page asked for. */
  page: number
  page_size: number
  /** How many pages there are; 0 when there is nothing. */
  page_count: number
  /** There are more than 10 000, which is as far as is counted and searched. */
  is_capped: boolean
}

export type ExtractRequest = {
  /** The page: absolute, http or https. */
  url: string
  /** `sync`: the response is the result. `async`: the response is the id of a job. Default: `"sync"`. */
  processing_mode?: 'sync' | 'async' | undefined
  /** What the page is returned as, each in the field of its name. Default: `["html"]`. */
  formats?: Array<'html' | 'markdown' | 'text' | 'links' | 'metadata' | 'screenshot'> | undefined
  /** Run the page's JavaScript in a browser. `auto`: HTTP first, and a browser where the response shows that the page needs one, in the same attempt and for the same token. Default: `false`. */
  render_js?: boolean | 'auto' | undefined
  /** Sent to the target. */
  headers?: { [name: string]: string } | undefined
  /** The proxy to use; any by default, the pool's own choice. */
  proxy?: {
    /** ISO 3166-1 alpha-2, in capitals. */
    country?: string | null | undefined
    /** Default: `"residential"`. */
    type?: 'residential' | 'datacenter' | 'mix' | undefined
  } | undefined
  /** What a browser waits for, in this order; until the page is quiet by default. */
  wait_config?: {
    /** The state of the page to wait for. */
    wait_until?: 'commit' | 'domcontentloaded' | 'load' | 'networkidle' | undefined
    /** CSS selector, or XPath, of an element to wait for. */
    wait_for?: string | undefined
    /** A pause before the page is read, in ms. */
    wait_timeout?: number | undefined
  } | undefined
  /** How long the whole extraction may take, in ms. Default: `60000`. */
  timeout?: number | undefined
  /** Return a stored result of the same request if it is not older than this, in ms; 0 always fetches. Default: `0`. */
  max_age?: number | undefined
  /** A name of your own: requests with the same name share their cookies and their proxy, until it was not used for 30 minutes. Never answered from stored results (`max_age`). */
  session?: string | undefined
  /** Leave navigation, footers and the like out of `markdown` and `text`. Default: `false`. */
  only_main_content?: boolean | undefined
  /** Also return `links`. Default: `false`. */
  extract_links?: boolean | undefined
  /** Names and CSS selectors or XPaths; what they match is returned as `extracted`. */
  extract_rules?: ExtractRules | undefined
  /** Of the request to the target; any other than GET is never sent by a browser. Default: `"GET"`. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined
  /** Of the request to the target: text as it is, anything else as JSON; 256 KiB at most. */
  body?: unknown | undefined
  /** All options of a scrape; a field beside it wins over the same option in it. */
  configurations?: ScrapeOptions | undefined
}

export type ExtractRule = string | {
  /** CSS selector, perhaps with `@attribute` at its end, or XPath 1.0. */
  selector: string
  /** `text` by default; `html`, `table`, `@attribute`, or rules relative to the match. */
  output?: string | InnerExtractRules | undefined
  /** The first match (default), or all. */
  type?: 'item' | 'list' | undefined
}

export type ExtractRules = InnerExtractRules

export type Extraction = {
  data: ExtractionData
  metadata: ExtractionMetadata
  tokens_charged: number
}

export type ExtractionData = {
  html: string | null
  markdown: string | null
  /** Null for a file. */
  text?: string | null | undefined
  /** Absolute, each once, in order of the page. */
  links?: Array<string> | undefined
  metadata?: PageMetadata | undefined
  /** What `extract_rules` found, by the names of the rules; null where there is no HTML. */
  extracted?: { [name: string]: unknown } | null | undefined
  /** Where the target answered with JSON. */
  json?: unknown | undefined
  /** Where the target answered with a PDF. */
  pdf?: {
    page_count: number
    /** Pages or text beyond the limits were left out. */
    is_truncated: boolean
  } | undefined
  screenshot?: Screenshot | undefined
  /** Where the target answered with neither text nor markup. */
  file?: {
    /** A link to the file; it needs no credentials. */
    url: string
    bytes: number
    content_type: string
  } | undefined
}

export type ExtractionError = {
  code: ExtractionErrorCode
  message: string
  retryable: boolean
  /** `reason` is the code of the failure. */
  details: { [name: string]: string }
  correlation_id: string
}

export type ExtractionErrorCode = 'RATE_LIMITED' | 'WORK_CONCURRENCY_LIMITED' | 'WORK_CONCURRENCY_LEASE_EXPIRED' | 'TEMPORARY_BLOCK' | 'NETWORK_ERROR' | 'CAPTCHA_CHALLENGE' | 'PERMANENT_BLOCK' | 'INVALID_URL' | 'INVALID_WAIT_FOR_SELECTOR' | 'WAIT_FOR_SELECTOR_TIMEOUT' | 'UNPROCESSABLE_CONTENT' | 'AUTH_REQUIRED' | 'TIMEOUT' | 'CANCELLED' | 'PAYMENT_REQUIRED' | 'INTERNAL_ERROR' | 'PROXY_ERROR'

export type ExtractionMetadata = {
  /** After every redirect. */
  url: string
  /** As given; with `auto`, whether a browser was used. */
  render_js: boolean
  http_status: number | null
  duration_ms: number | null
  retry_count: number
  /** Those of the two that were asked for. */
  formats: Array<'html' | 'markdown'>
  all_formats: Array<'html' | 'markdown' | 'text' | 'links' | 'metadata' | 'screenshot'>
  processing_mode: 'sync' | 'async'
  proxy: {
    country: string | null
    type: 'residential' | 'datacenter' | 'mix'
  } | null
  /** As given, `***` for credentials. */
  headers: { [name: string]: string } | null
  wait_config: WaitConfig | null
  /** The engine that fetched the page. */
  engine?: Engine | undefined
  /** Why this engine: `requested`, `options_need_browser`, `method_needs_http`, `file` (a browser does not give files), or with `auto` `static`, `scripted_host`, `browser_unavailable` or what the response showed, such as `empty_app_root`. */
  engine_reason?: string | undefined
  /** The result is that of an earlier extraction, as `max_age` allows. */
  cached?: true | undefined
  /** As the target gave it. */
  content_type: string | null
}

export type ExtractionProblem = {
  error: ExtractionError
  /** Always 0. */
  tokens_charged: number
  /** Every fault of the request, 100 at most, never the input itself. */
  detail?: Array<Fault> | undefined
}

export type Fault = {
  /** Where the fault is: `body`, `query`, `path` or `header`, then the path to it; names are cut to 64 characters. */
  loc: Array<string>
  /** What is wrong. */
  msg: string
  /** The kind of fault. */
  type: string
}

export type FillAction = {
  action: 'fill' | 'select'
  /** CSS selector. */
  selector: string
  /** Text. */
  value: string | number
  options?: {
    /** Whether the scenario goes on when this action fails. Default: `false`. */
    optional?: boolean | undefined
  } | undefined
}

export type Health = {
  /** `degraded`: it works, but not all of it; `/readyz?verbose` says what is missing. */
  status: 'ok' | 'degraded' | 'unavailable'
  service: 'trawl'
  version: string
  /** ISO 8601, UTC. */
  timestamp: string
}

export type HoverAction = {
  action: 'hover' | 'clear'
  /** CSS selector. */
  selector: string
  options?: {
    /** Whether the scenario goes on when this action fails. Default: `false`. */
    optional?: boolean | undefined
  } | undefined
}

export type InfiniteScrollAction = {
  action: 'infinite_scroll'
  options?: {
    /** Default: `10`. */
    max_scrolls?: number | undefined
    /** Milliseconds between two scrolls. Default: `500`. */
    delay?: number | undefined
    /** Whether the scenario goes on when this action fails. Default: `false`. */
    optional?: boolean | undefined
  } | undefined
}

export type InnerExtractRules = { [name: string]: ExtractRule }

export type Job = {
  /** The id of the job. */
  job_id: string
  kind: 'batch' | 'crawl' | 'map'
  status: TaskStatus
  /** Where a crawl or a map began; null for a batch. */
  url: string | null
  counts: JobCounts
  /** How many URLs a map has found; null for others. */
  links_count: number | null
  /** ISO 8601, UTC. */
  created_at: string
  /** Null until no page of the job runs any more. */
  completed_at: string | null
  /** The job with its results, as its own kind shows it. */
  status_url: string
  /** The tasks of its pages. */
  tasks_url: string
}

export type JobConfig = {
  render_js: boolean
  /** Those of the two that were asked for. */
  formats: Array<'html' | 'markdown'>
  all_formats: Array<'html' | 'markdown' | 'text' | 'links' | 'metadata' | 'screenshot'>
  proxy: {
    country: string | null
    type: 'residential' | 'datacenter' | 'mix'
  }
  /** As given, `***` for credentials. */
  headers: { [name: string]: string } | null
  wait_config: WaitConfig | null
}

export type JobCounts = {
  /** The pages chosen so far; the four counts add up to it. */
  total: number
  completed: number
  failed: number
  cancelled: number
  pending: number
}

export type JobEvent = {
  type: 'job'
  job_id: string
  kind: 'batch' | 'crawl' | 'map'
  status: TaskStatus
  /** Its pages by status; they add up to `total`. */
  counts: {
    total: number
    pending: number
    completed: number
    failed: number
    cancelled: number
  }
  /** No page of it runs any more. */
  is_ended: boolean
  /** ISO 8601, UTC: when the service noticed it. */
  at: string
}

export type JobList = {
  jobs: Array<Job>
  /** The page asked for. */
  page: number
  page_size: number
  /** How many pages there are; 0 when there is nothing. */
  page_count: number
  /** There are more than 10 000, which is as far as is counted and searched. */
  is_capped: boolean
}

export type JobResultMetadata = {
  http_status: number
  duration_ms: number
  retry_count: number
  tokens_charged: number
  /** The engine that fetched the page. */
  engine?: Engine | undefined
  /** Why this engine: `requested`, `options_need_browser`, `method_needs_http`, `file` (a browser does not give files), or with `auto` `static`, `scripted_host`, `browser_unavailable` or what the response showed, such as `empty_app_root`. */
  engine_reason?: string | undefined
  /** The result is that of an earlier extraction, as `max_age` allows. */
  cached?: true | undefined
  render_js?: boolean | undefined
}

export type LaneLoad = {
  /** How many wait to be run, over all processes on the store. */
  waiting: number
  running: number
  /** How long the oldest that no worker has begun has been waiting. */
  oldest_age_seconds: number
}

/** Instead of a job of more than 8 MiB. */
export type LargeJob = {
  job_id: string
  status: TaskStatus
  /** Where the whole job can be read. */
  result_url: string
}

/** Instead of a result of more than 8 MiB. */
export type LargeResult = {
  /** The target's. */
  statusCode: number
  /** After every redirect. */
  url: string
  /** Where the whole result can be read. */
  resultUrl: string
}

export type MapJob = {
  /** The id of the job. */
  job_id: string
  url: string
  search: string | null
  status: TaskStatus
  include_subdomains: boolean
  ignore_query_parameters: boolean
  links_count: number
  error_code: ExtractionErrorCode | null
  error_message: string | null
  duration_ms: number
  /** ISO 8601, UTC. */
  created_at: string
  completed_at: string | null
  tokens_charged: number
  /** Empty once the result is no longer kept. */
  links: Array<MapLink>
}

export type MapJobItem = {
  /** The id of the job. */
  job_id: string
  url: string
  search: string | null
  status: TaskStatus
  include_subdomains: boolean
  ignore_query_parameters: boolean
  links_count: number
  error_code: ExtractionErrorCode | null
  error_message: string | null
  duration_ms: number
  /** ISO 8601, UTC. */
  created_at: string
  completed_at: string | null
  tokens_charged: number
}

export type MapJobList = {
  jobs: Array<MapJobItem>
  /** The page asked for. */
  page: number
  page_size: number
  /** How many pages there are; 0 when there is nothing. */
  page_count: number
}

export type MapLink = {
  url: string
  source: 'sitemap' | 'html'
}

export type MapRequest = {
  /** The site: absolute, http or https. Where it has a path, only what lies under it is listed. */
  url: string
  /** Only URLs that contain this text, in any case. */
  search?: string | undefined
  /** The whole domain, with the sitemaps of its usual subdomains. Default: `false`. */
  include_subdomains?: boolean | undefined
  /** Leave queries out, so that URLs that differ in them are one. Default: `true`. */
  ignore_query_parameters?: boolean | undefined
}

export type McpMessage = {
  jsonrpc: '2.0'
  /** Names the request; a notification has none. */
  id?: string | number | undefined
  /** Such as `tools/list` or `tools/call`. */
  method?: string | undefined
  params?: { [name: string]: unknown } | undefined
}

export type NewApiKey = {
  /** What the key is for; it appears in lists. Default: `""`. */
  name?: string | undefined
}

export type NewWebhook = {
  /** Where events are posted to: absolute, http or https. */
  url: string
  /** Which events to hear of. */
  event_type: EventType
  description?: string | null | undefined
}

export type PageMetadata = {
  /** The page's `<title>`, else its OpenGraph title, headline or first `h1`. */
  title: string | null
  description: string | null
  /** The address that the page names as its own (absolute). */
  canonical: string | null
  /** Language tag of BCP 47, such as `en` or `pt-BR`. */
  language: string | null
  /** Names, joined with a comma where there are several. */
  author: string | null
  /** ISO 8601: in UTC where the page names a zone, local time or a bare day where it does not. */
  published_time: string | null
  /** ISO 8601: in UTC where the page names a zone, local time or a bare day where it does not. */
  modified_time: string | null
  site_name: string | null
  /** The image that stands for the page (absolute URL). */
  image: string | null
  /** Absolute URL; null where the page declares none. */
  favicon: string | null
  keywords: Array<string>
  /** The directives of the robots meta tag, as written. */
  robots: string | null
  feeds: Array<{
    url: string
    title: string | null
    /** Media type, such as `application/rss+xml`. */
    type: string
  }>
  /** Properties without `og:`; others, such as `article:section`, in full. The first value of each. */
  open_graph: { [name: string]: string }
  /** Properties without `twitter:`. The first value of each. */
  twitter: { [name: string]: string }
  /** The JSON-LD blocks as the page wrote them, without those that are not JSON. */
  json_ld: Array<unknown>
}

export type Ping = {
  event: 'ping'
  /** The webhook that the event is for. */
  webhook_id: string
  /** The same on every attempt. */
  delivery_id: string
  /** ISO 8601, UTC. */
  timestamp: string
  data: { [name: string]: unknown }
}

export type PingOutcome = {
  delivered: boolean
  http_status: number | null
  duration_ms: number
  error: string | null
}

export type PressAction = {
  action: 'press'
  /** Name of a key. */
  value: string
  /** Where; whatever has the focus by default. */
  selector?: string | undefined
  options?: {
    /** Whether the scenario goes on when this action fails. Default: `false`. */
    optional?: boolean | undefined
  } | undefined
}

export type Pressure = {
  /** Whether new work is accepted now. */
  accepting: boolean
  /** The code it is refused with, if it is. */
  code: string | null
  message: string | null
  queue: {
    /** Tasks that may wait or run, in total. */
    max: number
    /** The same for one account. */
    account_max: number
    lanes: {
      http: LaneLoad
      browser: LaneLoad
      delivery: LaneLoad
    }
  }
  event_loop: {
    /** Event loop delay, 99th percentile of the last seconds. */
    delay_ms: number
    /** Event loop utilization, 0 to 1. */
    busy_share: number
  }
  memory: {
    resident_bytes: number
    resident_bytes_max: number
    /** Share of the heap limit in use. */
    heap_share: number
  }
  disk: {
    /** Free share of the data folder's volume; null if unknown. */
    free_share: number | null
    /** Whether new work is refused because of it. */
    low: boolean
  }
  store: {
    answering: boolean
    /** How long the oldest waiting call has been queued. */
    wait_ms: number
  }
}

export type ProxyList = {
  items: Array<ProxyObject>
  /** The page asked for. */
  page: number
  page_size: number
  /** How many pages there are; 0 when there is nothing. */
  page_count: number
}

export type ProxyObject = {
  label: string
  type: 'residential' | 'datacenter' | 'mix'
  /** ISO 3166-1 alpha-2. */
  country: string | null
  /** Whether it is in whatever country is asked for. */
  any_country: boolean
  /** One that refused lately cools down and is chosen last. */
  state: 'ready' | 'cooling_down'
  /** How much longer it cools down; 0 if it does not. */
  cooldown_seconds: number
  /** Its health, 0 to 1; 1 also before it was used. */
  score: number
  /** Recent latency; null until it was used. */
  latency_ms: number | null
  /** Attempts that use it now. */
  active_uses: number
}

export type QueueEvent = {
  type: 'queue'
  /** Tasks of the account that wait. */
  waiting: number
  /** Tasks of the account that run. */
  running: number
  /** ISO 8601, UTC: when the service noticed it. */
  at: string
}

/** Each check by name; only with `?verbose`. A missing browser never fails readiness. */
export type ReadinessChecks = {
  store: {
    ok: boolean
    detail: string
  }
  disk: {
    ok: boolean
    detail: string
  }
  accepting: {
    ok: boolean
    detail: string
  }
  browser: {
    ok: boolean
    detail: string
    /** `ready` also where only another worker has one; then the rest is null. */
    state: 'absent' | 'installing' | 'broken' | 'ready'
    version: string | null
    flavor: 'shell' | 'chrome' | null
    /** Null until it was started. */
    sandbox: 'on' | 'off' | null
    /** Whether a page could be opened, tried no longer than half a minute ago. */
    opens_pages: boolean | null
  }
}

export type RealtimeScrape = {
  /** The page: absolute, http or https. */
  url: string
  configurations?: ScrapeOptions | undefined
  /** Comes back in status and callback as it is, 4 KiB of JSON at most. */
  metadata?: { [name: string]: unknown } | undefined
  /** How long each attempt may take. Default: `60000`. */
  timeout_ms?: number | undefined
}

export type Recover = {
  /** ISO 8601, with a zone. */
  since: string
}

export type ResetEvent = {
  type: 'reset'
  /** ISO 8601, UTC: when the service noticed it. */
  at: string
}

export type Result = {
  /** The target's. */
  statusCode: number
  /** After every redirect. */
  url: string
  html?: string | undefined
  /** Instead of `html`, with `is_json_response`. */
  json?: unknown | undefined
  headers?: { [name: string]: string } | undefined
  cookies?: Array<{
    name: string
    value: string
    domain: string
    path: string
    expires: string | null
    httpOnly: boolean
    secure: boolean
    sameSite: string | null
  }> | undefined
  /** Bytes on the wire. */
  bandwidth?: {
    received: number
    sent: number
    requests: number
  } | undefined
  engine?: Engine | undefined
  attempts?: number | undefined
  screenshot?: Screenshot | undefined
  collectedData?: Array<{
    url: string
    method: string
    statusCode: number
    contentType: string | null
    body: string | null
    truncated: boolean
  }> | undefined
  scenario?: Array<{
    action: string
    ok: boolean
    durationMs: number
    value?: unknown | undefined
    items?: Array<{
      html: string
      text: string
    }> | undefined
    error?: string | undefined
  }> | undefined
  debug?: { [name: string]: unknown } | undefined
}

export type ScenarioAction = ClickAction | WaitAction | WaitForAction | ScrollAction | ScrollListAction | TypeAction | EvaluateAction | HoverAction | FillAction | PressAction | InfiniteScrollAction | ScreenshotAction

export type ScrapeCallback = {
  /** The id of the task. */
  requestId: string
  status: TaskStatus
  url: string
  /** ISO 8601, UTC. */
  createdAt: string
  /** ISO 8601, UTC. */
  completedAt: string
  /** Attempts so far. */
  attempts: number
  /** As the caller gave it. */
  metadata: { [name: string]: unknown } | null
  /** Null where the task failed; `error` says why. */
  result: Result | LargeResult | null
  error: TaskError | null
}

/** How the page is fetched; every option has a default. */
export type ScrapeOptions = {
  /** Run the JavaScript of the page. Default: `false`. */
  js_render?: boolean | undefined
  /** The target answers with JSON, not with a document. Default: `false`. */
  is_json_response?: boolean | undefined
  /** Load no images, style sheets, media and fonts. Off when a screenshot is taken. Default: `true`. */
  block_resources?: boolean | undefined
  /** Send the caller's own headers to the target too. Default: `false`. */
  keep_headers?: boolean | undefined
  /** With `json`: what was requested, tried and waited for. Default: `false`. */
  debug?: boolean | undefined
  /** `html`: the page alone. `json`: headers, cookies and bandwidth too. Default: `"html"`. */
  response_format?: 'html' | 'json' | undefined
  /** When the page counts as finished. Default: `"load"`. */
  mode?: 'SPA' | 'longPolling' | 'domLoaded' | 'documentLoaded' | 'load' | undefined
  /** CSS selector to wait for. */
  waitForSelector?: string | undefined
  /** Default: `"desktop"`. */
  device_type?: 'desktop' | 'mobile' | 'tablet' | undefined
  /** ISO 3166-1 alpha-2: where the proxy is. */
  country_code?: string | undefined
  /** Sent to the page. Default: `[]`. */
  cookies?: Array<{
    name: string
    value: string
    /** The target's host by default. */
    domain?: string | undefined
  }> | undefined
  /** Set for the target's origin before its first script. */
  localStorage?: { [name: string]: string | number | boolean } | undefined
  /** Return the answers to the page's own fetch and XHR. Default: `false`. */
  collect_data_from_requests?: boolean | undefined
  /** How the HTML is minified. */
  HTMLMinifier?: {
    /** Whether the HTML is minified. Default: `false`. */
    useMinifier?: boolean | undefined
    caseSensitive?: boolean | undefined
    collapseAttributeWhitespace?: boolean | undefined
    collapseBooleanAttributes?: boolean | undefined
    collapseInlineTagWhitespace?: boolean | undefined
    collapseNoBreakSpaces?: boolean | undefined
    collapseWhitespace?: boolean | undefined
    conservativeCollapse?: boolean | undefined
    continueOnMinifyError?: boolean | undefined
    continueOnParseError?: boolean | undefined
    customAttrAssign?: Array<string> | undefined
    customAttrCollapse?: string | undefined
    customAttrSurround?: Array<Array<string>> | undefined
    customEventAttributes?: Array<string> | undefined
    decodeEntities?: boolean | undefined
    html5?: boolean | undefined
    ignoreCustomComments?: Array<string> | undefined
    ignoreCustomFragments?: Array<string> | undefined
    includeAutoGeneratedTags?: boolean | undefined
    inlineCustomElements?: Array<string> | undefined
    keepClosingSlash?: boolean | undefined
    maxLineLength?: number | undefined
    mergeScripts?: boolean | undefined
    minifyCSS?: boolean | undefined
    minifyJS?: boolean | undefined
    minifySVG?: boolean | undefined
    minifyURLs?: boolean | string | undefined
    noNewlinesBeforeTagClose?: boolean | undefined
    partialMarkup?: boolean | undefined
    preserveLineBreaks?: boolean | undefined
    preventAttributesEscaping?: boolean | undefined
    processConditionalComments?: boolean | undefined
    processScripts?: Array<string> | undefined
    quoteCharacter?: '"' | '\'' | undefined
    removeAttributeQuotes?: boolean | undefined
    removeComments?: boolean | undefined
    removeDefaultTypeAttributes?: boolean | undefined
    removeEmptyAttributes?: boolean | undefined
    removeEmptyElements?: boolean | undefined
    removeEmptyElementsExcept?: Array<string> | undefined
    removeOptionalTags?: boolean | undefined
    removeRedundantAttributes?: boolean | undefined
    removeScriptTypeAttributes?: boolean | undefined
    removeStyleLinkTypeAttributes?: boolean | undefined
    removeTagWhitespace?: boolean | undefined
    removeUnusedCSS?: boolean | undefined
    sortAttributes?: boolean | undefined
    sortClassName?: boolean | undefined
    sortClassNames?: boolean | undefined
    trimCustomFragments?: boolean | undefined
    useShortDoctype?: boolean | undefined
  } | undefined
  /** An image of the page. */
  screenshot?: {
    /** Whether an image of the page is returned. Default: `false`. */
    use?: boolean | undefined
    options?: {
      /** Default: `"jpeg"`. */
      type?: 'png' | 'jpeg' | 'webp' | undefined
      /** The whole page, not only what a screen shows. Default: `true`. */
      fullPage?: boolean | undefined
      /** Transparent where the page has no background of its own. Default: `false`. */
      omitBackground?: boolean | undefined
      /** `base64` puts the image into the result, `binary` a link to it. Default: `"binary"`. */
      encoding?: 'base64' | 'binary' | undefined
      /** Also what lies outside the viewport. Default: `true`. */
      captureBeyondViewport?: boolean | undefined
      /** From the surface rather than the view. Default: `true`. */
      fromSurface?: boolean | undefined
    } | undefined
  } | undefined
  /** What the page need not load. */
  optimizations?: {
    /** Requests whose host contains one of these are not loaded. Default: `[]`. */
    skipDomains?: Array<string> | undefined
    /** Load only from the page's own origin. Default: `true`. */
    loadOnlySameOriginRequests?: boolean | undefined
  } | undefined
  /** What happens when an attempt fails. */
  retries?: {
    /** Whether a failed attempt is repeated. Default: `true`. */
    useRetries?: boolean | undefined
    /** How often at most. Default: `2`. */
    maxRetries?: number | undefined
  } | undefined
  /** Which proxies may be used. */
  proxy?: {
    /** Only through residential proxies. Default: `false`. */
    useOnlyResidential?: boolean | undefined
  } | undefined
  /** What is done on the page. */
  js_scenario?: {
    /** Done in this order once the page has loaded. Default: `[]`. */
    actions?: Array<ScenarioAction> | undefined
  } | undefined
  /** The browser's window; `device_type`'s by default. */
  viewport?: {
    /** Pixels. Default: `1280`. */
    width?: number | undefined
    /** Pixels. Default: `800`. */
    height?: number | undefined
    /** Device pixels per pixel. */
    deviceScaleFactor?: number | undefined
    /** Whether the meta viewport tag counts. */
    isMobile?: boolean | undefined
    /** Whether there are touch events. */
    hasTouch?: boolean | undefined
    isLandscape?: boolean | undefined
  } | undefined
}

export type Screenshot = {
  type: 'png' | 'jpeg' | 'webp'
  width: number
  height: number
  /** Base64, with `encoding: "base64"`. */
  data?: string | undefined
  /** A link to the image, with `encoding: "binary"`; it needs no credentials. */
  url?: string | undefined
}

export type ScreenshotAction = {
  action: 'screenshot'
  options?: {
    /** Whether the scenario goes on when this action fails. Default: `false`. */
    optional?: boolean | undefined
  } | undefined
}

export type ScrollAction = {
  action: 'scroll_x' | 'scroll_y'
  /** Pixels, to the left or up when negative. */
  value: number
  /** What is scrolled; the window by default. */
  selector?: string | undefined
  options?: {
    /** Whether the scenario goes on when this action fails. Default: `false`. */
    optional?: boolean | undefined
  } | undefined
}

export type ScrollListAction = {
  action: 'scroll_on_list_and_get_items'
  options: {
    /** CSS selector of what is scrolled. */
    list_selector: string
    /** CSS selector of the items. */
    items_selector: string
    /** Ends with that many, or when no more come. */
    num_of_items: number
    /** Whether the scenario goes on when this action fails. Default: `false`. */
    optional?: boolean | undefined
  }
}

export type SearchHit = {
  /** The rank on the page, from 1. */
  position: number
  title: string
  url: string
  snippet: string
}

export type SearchJob = {
  job_id: string
  query: string
  status: TaskStatus
  results_count: number
  duration_ms: number | null
  error_code: string | null
  created_at: string
  completed_at: string | null
  results: Array<SearchHit>
}

export type SearchList = {
  jobs: Array<SearchListItem>
  /** The page asked for. */
  page: number
  page_size: number
  /** How many pages there are; 0 when there is nothing. */
  page_count: number
}

export type SearchListItem = {
  job_id: string
  query: string
  status: TaskStatus
  results_count: number
  duration_ms: number | null
  error_code: string | null
  created_at: string
  completed_at: string | null
}

export type SearchResults = {
  job_id: string
  query: string
  page: number
  results: Array<SearchHit>
}

export type Series = {
  step_seconds: number
  points: Array<{
    /** When the step begins, ISO 8601. */
    time: string
    completed: number
    /** Cancelled tasks are in neither. */
    failed: number
    /** Attempts after the first. */
    retries: number
    /** By the engine of the last attempt. */
    engines: {
      http: number
      browser: number
    }
    /** Failed tasks by their code. */
    codes: { [name: string]: number }
    /** Completed tasks by the HTTP status of the target. */
    statuses: { [name: string]: number }
    /** Half of the tasks took no longer; null without tasks. */
    p50_ms: number | null
    p95_ms: number | null
    p99_ms: number | null
    /** A histogram of how long the tasks took: so many up to so many milliseconds. */
    durations: Array<{
      ms_max: number
      count: number
    }>
    /** The most tasks that waited to be run at once. */
    queue_depth: number
    /** The longest that a task which was ready to be run had been there. */
    queue_oldest_age_seconds: number
  }>
}

export type Session = {
  username: string
  /** Whether API keys and whitelisted IPs are open: not for an API key. */
  opens_access: boolean
  /** Whether it is the first account, which may see the whole service. */
  is_operator: boolean
  /** When the session ends unless it is used again; null without one. */
  ends_at: string | null
  /** The address that the request came from, as whitelisted IPs compare it. */
  client_address: string
}

/** Name and password of an account, one of its API keys, or the token of a link that `npx trawl login` or the first start has printed. */
export type SessionCredential = {
  username: string
  password: string
} | {
  api_key: string
} | {
  /** Of a link; it signs in once, within 15 minutes. */
  link_token: string
}

export type SiteMap = {
  success: true
  /** Each URL once. */
  links: Array<MapLink>
  metadata: {
    url: string
    links_count: number
    duration_ms: number
  }
  /** Why links may be missing. */
  warning: string | null
}

export type Statistics = {
  /** Tasks that completed or failed; cancelled ones not. */
  extraction_count: number
  /** The same for as many days before the period. */
  previous_period_extraction_count: number
  /** Completed of all, from 0.0 to 1.0; 0.0 without any. */
  success_rate: number
  /** In milliseconds, from the start of a task to its end. */
  average_extraction_duration: number
  /** A token is one fetched page. */
  period_tokens_used: number
  /** Every day of the period. */
  requests: Array<{
    /** The start of the UTC day, ISO 8601. */
    date: string
    success_request_count: number
    failed_request_count: number
  }>
  /** Every day of the period. */
  tokens_used: Array<{
    /** The start of the UTC day, ISO 8601. */
    date: string
    tokens_used: number
  }>
}

export type System = {
  version: string
  /** When this process started. */
  started_at: string
  uptime_seconds: number
  /** Of this process. */
  roles: Array<'api' | 'worker' | 'delivery'>
  store: {
    kind: 'sqlite' | 'postgres'
    /** What it takes on its disk, without its write-ahead log. */
    bytes: number
  }
  /** The volume of the data folder; null where there is none. */
  disk: {
    free_bytes: number
    total_bytes: number
  } | null
  browser: {
    /** `ready` also where only another worker has one; then the rest is null. */
    state: 'absent' | 'installing' | 'broken' | 'ready'
    version: string | null
    flavor: 'shell' | 'chrome' | null
    /** Null until it was started. */
    sandbox: 'on' | 'off' | null
    /** Whether a page could be opened, tried no longer than half a minute ago. */
    opens_pages: boolean | null
  }
  /** All that use the store, the oldest first. */
  processes: Array<{
    id: string
    /** Whether it gave this response. */
    is_this: boolean
    /** ISO 8601, UTC. */
    started_at: string
    /** Its last heartbeat; one that is minutes old is of a dead process. */
    last_seen_at: string
    /** What it works on, and how much of it at once. */
    lanes: Array<{
      lane: 'http' | 'browser' | 'delivery'
      slots: number
    }>
    /** Addresses with ports. */
    listens_on: Array<string>
  }>
  /** Of the whole store, about a second old. */
  queue: {
    http: LaneLoad
    browser: LaneLoad
    delivery: LaneLoad
  }
  /** Of this process, as `trawl config` prints them: secrets are masked. */
  settings: Array<{
    name: string
    value: string
    origin: string
  }>
  /** Those of `trawl doctor` that take no time and reach nothing outside. */
  checks: Array<{
    name: string
    status: 'ok' | 'warning' | 'broken'
    detail: string
    /** What a person can do about it. */
    fix: string | null
  }>
}

export type TargetResponse = {
  /** After every redirect. */
  url: string
  http_status: number
  engine: Engine
  /** Names in lower case. */
  headers: { [name: string]: string }
  cookies: Array<{
    name: string
    value: string
    domain: string
    path: string
    /** ISO 8601; null for a session cookie. */
    expires: string | null
    http_only: boolean
    secure: boolean
    same_site: string | null
  }>
  /** Bytes on the wire and requests, redirects included. */
  bandwidth: {
    received: number
    sent: number
    requests: number
  }
  /** In pixels; the preview has the image. */
  screenshot: {
    type: 'png' | 'jpeg' | 'webp'
    width: number
    height: number
  } | null
  /** The first 300; null for a page in a browser without `debug`. */
  requests: Array<{
    url: string
    /** `document`, `script`, `image`, `fetch` and so on. */
    type: string
    http_status: number | null
    /** On the wire. */
    bytes: number
    /** From the start of the page. */
    started_ms: number | null
    duration_ms: number
    /** It was not sent, as the request asked. */
    is_blocked: boolean
  }> | null
  /** Null without a browser and `debug`. */
  console: Array<{
    level: string
    text: string
  }> | null
  /** Whether the page did not become quiet within its time. */
  wait_ended_at_deadline: boolean
}

export type Task = {
  /** The id of the task. */
  requestId: string
  url: string
  /** Null for a task in realtime mode. */
  callbackUrl: string | null
  status: TaskStatus
  /** Attempts so far. */
  attempts: number
  /** ISO 8601, UTC. */
  createdAt: string
  startedAt: string | null
  completedAt: string | null
  /** As the caller gave it. */
  metadata: { [name: string]: unknown } | null
  error: TaskError | null
  /** How the callback stands; null in realtime mode. */
  delivery: TaskDelivery | null
}

export type TaskDelivery = {
  status: DeliveryStatus
  attempts: number
  nextAttemptAt: string | null
  /** What the receiver answered last. */
  lastStatusCode: number | null
  lastError: string | null
  deliveredAt: string | null
}

export type TaskDetails = {
  /** The id of the task. */
  id: string
  /** How it was asked for: by itself, or as a page of a batch, crawl or map. */
  kind: 'callback' | 'realtime' | 'extract' | 'batch' | 'crawl' | 'map'
  status: TaskStatus
  /** As given, without user and password. */
  url: string
  /** The host of the URL, with its port unless it is the default one. */
  host: string
  /** The batch, crawl or map that it belongs to. */
  job_id: string | null
  /** The task that it repeats. */
  retry_of: string | null
  /** ISO 8601, UTC. */
  created_at: string
  started_at: string | null
  completed_at: string | null
  /** From its start to its end; null before. */
  duration_ms: number | null
  /** Attempts so far. */
  attempts: number
  /** Of the last attempt; null before the first. */
  engine: Engine | null
  /** What the target answered last; null where it did not. */
  http_status: number | null
  /** Why it failed. */
  error: TaskError | null
  /** The size of the stored result; null where there is none. */
  bytes: number | null
  callback_url: string | null
  /** As the caller gave it. */
  metadata: { [name: string]: unknown } | null
  /** What was asked for, credentials as `***`. */
  options: {
    method: string
    timeout_ms: number
    render_js: boolean | 'auto'
    /** Of an extraction; empty for a scrape. */
    formats: Array<'html' | 'markdown' | 'text' | 'links' | 'metadata' | 'screenshot'>
    proxy: {
      country: string | null
      type: 'residential' | 'datacenter' | 'mix'
    } | null
    /** As given, `***` for credentials. */
    headers: { [name: string]: string } | null
    wait_config: WaitConfig | null
    session: string | null
  }
  /** A call that asks for the same page, without headers, cookies, storage, scenario and body. Null where the stored request cannot be read. */
  request: {
    path: '/v1/extract' | '/v1/map' | '/api/scraper/scrape/callback' | '/api/scraper/scrape/realtime'
    /** What differs from the defaults. */
    body: { [name: string]: unknown }
    /** What is not in it. */
    left_out: Array<string>
  } | null
  attempt_log: Array<{
    engine: Engine
    /** The label of the proxy. */
    proxy: string | null
    outcome: 'page' | 'BAD_REQUEST' | 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'PAYMENT_REQUIRED' | 'FORBIDDEN' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'REQUEST_TIMEOUT' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'URI_TOO_LONG' | 'UNSUPPORTED_MEDIA_TYPE' | 'HEADERS_TOO_LARGE' | 'URL_NOT_ALLOWED' | 'NO_PROXY_AVAILABLE' | 'RATE_LIMITED' | 'QUEUE_FULL' | 'OVERLOADED' | 'BROWSER_UNAVAILABLE' | 'SHUTTING_DOWN' | 'STORE_UNAVAILABLE' | 'STORE_FULL' | 'SEARCH_UNAVAILABLE' | 'INTERNAL_ERROR' | 'TARGET_UNREACHABLE' | 'TARGET_DNS_FAILED' | 'TARGET_TLS_FAILED' | 'TARGET_TIMEOUT' | 'RESPONSE_TOO_LARGE' | 'BAD_RESPONSE' | 'UNSUPPORTED_CONTENT' | 'CONTENT_TOO_COMPLEX' | 'CHALLENGE' | 'ROBOTS_DISALLOWED' | 'OUT_OF_SCOPE' | 'TOO_MANY_REDIRECTS' | 'SELECTOR_NOT_FOUND' | 'ACTION_FAILED' | 'PROXY_FAILED' | 'BROWSER_CRASHED' | 'SCREENSHOT_FAILED' | 'CANCELLED' | 'EXPIRED'
    http_status: number | null
    /** ISO 8601, UTC. */
    started_at: string
    duration_ms: number
    /** From being due to being started. */
    queue_ms: number
    /** Milliseconds by phase: dns, connect, tls, first_byte, download, render and so on. */
    timings: { [name: string]: number } | null
  }>
  /** Its callback and its webhook events. */
  deliveries: Array<{
    id: string
    /** Null for the callback of the task. */
    webhook_id: string | null
    event_type: EventType | null
    status: DeliveryStatus
    /** Attempts so far. */
    attempt_number: number
    /** What the receiver answered last. */
    http_status: number | null
    /** ISO 8601, UTC. */
    created_at: string
    delivered_at: string | null
    /** When it is tried again; null if it is not. */
    next_attempt_at: string | null
    /** Oldest first, the first 100. */
    attempts: Array<DeliveryAttempt>
  }>
}

export type TaskError = {
  code: 'BAD_REQUEST' | 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'PAYMENT_REQUIRED' | 'FORBIDDEN' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'REQUEST_TIMEOUT' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'URI_TOO_LONG' | 'UNSUPPORTED_MEDIA_TYPE' | 'HEADERS_TOO_LARGE' | 'URL_NOT_ALLOWED' | 'NO_PROXY_AVAILABLE' | 'RATE_LIMITED' | 'QUEUE_FULL' | 'OVERLOADED' | 'BROWSER_UNAVAILABLE' | 'SHUTTING_DOWN' | 'STORE_UNAVAILABLE' | 'STORE_FULL' | 'SEARCH_UNAVAILABLE' | 'INTERNAL_ERROR' | 'TARGET_UNREACHABLE' | 'TARGET_DNS_FAILED' | 'TARGET_TLS_FAILED' | 'TARGET_TIMEOUT' | 'RESPONSE_TOO_LARGE' | 'BAD_RESPONSE' | 'UNSUPPORTED_CONTENT' | 'CONTENT_TOO_COMPLEX' | 'CHALLENGE' | 'ROBOTS_DISALLOWED' | 'OUT_OF_SCOPE' | 'TOO_MANY_REDIRECTS' | 'SELECTOR_NOT_FOUND' | 'ACTION_FAILED' | 'PROXY_FAILED' | 'BROWSER_CRASHED' | 'SCREENSHOT_FAILED' | 'CANCELLED' | 'EXPIRED'
  message: string
  /** Whether asking again may succeed. */
  retryable: boolean
}

export type TaskEvent = {
  type: 'task'
  task_id: string
  /** The batch, crawl or map that it belongs to. */
  job_id: string | null
  status: TaskStatus
  /** ISO 8601, UTC: when the service noticed it. */
  at: string
}

export type TaskList = {
  items: Array<Task>
  /** The page asked for. */
  page: number
  page_size: number
  /** How many pages there are; 0 when there is nothing. */
  page_count: number
}

export type TaskSearchResult = {
  tasks: Array<TaskSummary>
  /** The page asked for. */
  page: number
  page_size: number
  /** How many pages there are; 0 when there is nothing. */
  page_count: number
  /** There are more than 10 000, which is as far as is counted and searched. */
  is_capped: boolean
}

export type TaskStatus = 'queued' | 'processing' | 'completed' | 'failed' | 'cancelled'

export type TaskSummary = {
  /** The id of the task. */
  id: string
  /** How it was asked for: by itself, or as a page of a batch, crawl or map. */
  kind: 'callback' | 'realtime' | 'extract' | 'batch' | 'crawl' | 'map'
  status: TaskStatus
  /** As given, without user and password. */
  url: string
  /** The host of the URL, with its port unless it is the default one. */
  host: string
  /** The batch, crawl or map that it belongs to. */
  job_id: string | null
  /** The task that it repeats. */
  retry_of: string | null
  /** ISO 8601, UTC. */
  created_at: string
  started_at: string | null
  completed_at: string | null
  /** From its start to its end; null before. */
  duration_ms: number | null
  /** Attempts so far. */
  attempts: number
  /** Of the last attempt; null before the first. */
  engine: Engine | null
  /** What the target answered last; null where it did not. */
  http_status: number | null
  /** Why it failed. */
  error: TaskError | null
  /** The size of the stored result; null where there is none. */
  bytes: number | null
}

export type TasksEvent = {
  type: 'tasks'
  /** How many tasks got which status. */
  counts: { [name: string]: number }
  /** ISO 8601, UTC: when the service noticed it. */
  at: string
}

export type TokenSummary = {
  tokens_charged_total: number
  /** One for each page that is not finished. */
  tokens_reserved: number
}

export type TypeAction = {
  action: 'type'
  /** CSS selector. */
  selector: string
  /** Text. */
  value: string | number
  options?: {
    /** Milliseconds between two keys. Default: `0`. */
    delay?: number | undefined
    /** Whether the scenario goes on when this action fails. Default: `false`. */
    optional?: boolean | undefined
  } | undefined
}

export type ValidationObject = {
  /** What went wrong; the reference lists every code. */
  code: string
  /** What went wrong and what to do next, for a person. */
  message: string
  /** Names this request in the log; also in `X-Request-Id`. */
  correlation_id: string
  /** Whether repeating the request may succeed. */
  retryable: boolean
  /** Every fault of the request, 100 at most, never the input itself. */
  detail: Array<Fault>
}

export type WaitAction = {
  action: 'wait'
  /** Milliseconds. */
  value: number
  options?: {
    /** Whether the scenario goes on when this action fails. Default: `false`. */
    optional?: boolean | undefined
  } | undefined
}

export type WaitConfig = {
  wait_until?: 'commit' | 'domcontentloaded' | 'load' | 'networkidle' | null | undefined
  wait_for?: string | null | undefined
  wait_timeout?: number | null | undefined
}

export type WaitForAction = {
  action: 'waitFor' | 'wait_for'
  /** CSS selector. */
  selector: string
  options?: {
    /** Wait until it is visible. Default: `false`. */
    visible?: boolean | undefined
    /** Wait until it is gone or hidden. Default: `false`. */
    hidden?: boolean | undefined
    /** Milliseconds; what is left of the attempt by default. */
    timeout?: number | undefined
    /** Whether the scenario goes on when this action fails. Default: `false`. */
    optional?: boolean | undefined
  } | undefined
}

export type WatchedEvent = TaskEvent | TasksEvent | JobEvent | QueueEvent | ResetEvent

export type Webhook = {
  id: string
  /** Where events are posted to. */
  url: string
  /** Free text. */
  description: string
  /** Whether events are sent; false pauses. */
  is_active: boolean
  /** Which events to hear of. */
  event_type: EventType
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
}

export type WebhookChange = {
  url?: string | null | undefined
  event_type?: EventType | null | undefined
  description?: string | null | undefined
  is_active?: boolean | null | undefined
}

export type WebhookDelivery = {
  id: string
  /** Which events to hear of. */
  event_type: EventType
  job_id: string
  /** Attempts so far. */
  attempt_number: number
  status: DeliveryStatus
  http_status: number | null
  delivered_at: string | null
  created_at: string
}

export type WebhookDeliveryDetails = {
  id: string
  /** Which events to hear of. */
  event_type: EventType
  job_id: string
  /** Attempts so far. */
  attempt_number: number
  status: DeliveryStatus
  http_status: number | null
  delivered_at: string | null
  created_at: string
  /** When it is tried again; null if it is not. */
  next_attempt_at: string | null
  /** Oldest first, the first 100. */
  attempts: Array<DeliveryAttempt>
  /** The request body, as it is posted; null once the result is no longer kept. */
  body: string | null
}

export type WebhookDeliveryList = {
  items: Array<WebhookDelivery>
  /** The page asked for. */
  page: number
  page_size: number
  /** How many pages there are; 0 when there is nothing. */
  page_count: number
}

export type WebhookList = {
  items: Array<Webhook>
  /** The page asked for. */
  page: number
  page_size: number
  /** How many pages there are; 0 when there is nothing. */
  page_count: number
}

export type WhitelistedIps = {
  /** The whole list, oldest first. */
  data: Array<{
    /** In canonical form. */
    ip: string
    description: string
    /** 24 hexadecimal digits, given by the service. */
    _id: string
  }>
}

/** What each operation takes and returns, by its method and path. */
export interface Operations {
  /** getFrontPage: The dashboard; until it is built, health and a first request to copy */
  'GET /': {
    path: undefined
    query: undefined
    body: undefined
    response: string
  }
  /** getLivez: Is the process alive? */
  'GET /livez': {
    path: undefined
    query: undefined
    body: undefined
    response: {
      status: 'alive'
    }
  }
  /** getReadyz: Should this process get traffic? */
  'GET /readyz': {
    path: undefined
    query: {
      /** Present, with any value: name every check, and have the browser open a page. */
      verbose?: string | undefined
    }
    body: undefined
    response: {
      status: 'ready'
      checks?: ReadinessChecks | undefined
    }
  }
  /** getHealth: How is the service? */
  'GET /health': {
    path: undefined
    query: undefined
    body: undefined
    response: Health
  }
  /** getMetrics: Metrics for Prometheus */
  'GET /metrics': {
    path: undefined
    query: undefined
    body: undefined
    response: string
  }
  /** getPressure: Is new work accepted, and how close are the limits? */
  'GET /pressure': {
    path: undefined
    query: undefined
    body: undefined
    response: Pressure
  }
  /** getCapabilities: What can this service do right now? */
  'GET /capabilities': {
    path: undefined
    query: undefined
    body: undefined
    response: Capabilities
  }
  /** getOpenapi: This API as an OpenAPI 3.1 document */
  'GET /openapi.json': {
    path: undefined
    query: undefined
    body: undefined
    response: { [name: string]: unknown }
  }
  /** getReference: This API as a page to read */
  'GET /reference': {
    path: undefined
    query: undefined
    body: undefined
    response: string
  }
  /** getReferenceScript: The script of the reference page, which adds forms to try requests */
  'GET /reference.js': {
    path: undefined
    query: undefined
    body: undefined
    response: string
  }
  /** getLlmsTxt: A short index of this API for language models */
  'GET /llms.txt': {
    path: undefined
    query: undefined
    body: undefined
    response: string
  }
  /** beginSession: Sign in */
  'POST /v1/session': {
    path: undefined
    query: undefined
    body: SessionCredential
    response: undefined
  }
  /** getSession: See who is signed in */
  'GET /v1/session': {
    path: undefined
    query: undefined
    body: undefined
    response: Session
  }
  /** endSession: Sign out */
  'DELETE /v1/session': {
    path: undefined
    query: undefined
    body: undefined
    response: undefined
  }
  /** submitCallbackScrape: Scrape a page and have the result posted to a URL */
  'POST /api/scraper/scrape/callback': {
    path: undefined
    query: undefined
    body: CallbackScrape
    response: AcceptedTask
  }
  /** listTasks: List tasks, newest first */
  'GET /api/scraper/scrape/callback': {
    path: undefined
    query: {
      /** Which page, from 1. */
      page?: number | undefined
      /** How many on a page. */
      page_size?: number | undefined
      /** Only tasks with this status. */
      status?: TaskStatus | undefined
    }
    body: undefined
    response: TaskList
  }
  /** runRealtimeScrape: Scrape a page and wait for it */
  'POST /api/scraper/scrape/realtime': {
    path: undefined
    query: undefined
    body: RealtimeScrape
    response: Result
  }
  /** getTask: Get the status of a task */
  'GET /api/scraper/scrape/callback/{request_id}': {
    path: {
      /** The `requestId`. */
      request_id: string
    }
    query: undefined
    body: undefined
    response: Task
  }
  /** cancelTask: Cancel a task */
  'DELETE /api/scraper/scrape/callback/{request_id}': {
    path: {
      /** The `requestId`. */
      request_id: string
    }
    query: undefined
    body: undefined
    response: Task
  }
  /** getTaskResult: Get the result of a task */
  'GET /api/scraper/scrape/callback/{request_id}/result': {
    path: {
      /** The `requestId`. */
      request_id: string
    }
    query: undefined
    body: undefined
    response: Result
  }
  /** getTaskScreenshot: Get the screenshot of a task */
  'GET /api/scraper/scrape/callback/{request_id}/screenshot': {
    path: {
      /** The `requestId`. */
      request_id: string
    }
    query: {
      /** Replaces credentials, for this image only. */
      signature?: string | undefined
    }
    body: undefined
    response: Blob
  }
  /** redeliverTask: Send the callback of a task once more */
  'POST /api/scraper/scrape/callback/{request_id}/redeliver': {
    path: {
      /** The `requestId`. */
      request_id: string
    }
    query: undefined
    body: undefined
    response: Task
  }
  /** extractPage: Extract the content of a page */
  'POST /v1/extract': {
    path: undefined
    query: undefined
    body: ExtractRequest
    response: Extraction | AcceptedExtraction
  }
  /** listExtractJobs: List jobs, newest first */
  'GET /v1/extract/jobs': {
    path: undefined
    query: {
      /** Which page, from 1. */
      page?: number | undefined
      /** How many on a page. */
      page_size?: number | undefined
      /** From this time or day on: ISO 8601, UTC if it has no zone. */
      start_date?: string | undefined
      /** Up to this time, or to the end of this day: ISO 8601, UTC if it has no zone. */
      end_date?: string | undefined
      /** Only this job. */
      job_id?: string | undefined
      /** Only URLs that contain this, in any case. */
      url?: string | undefined
      /** Only jobs with this status. */
      status?: TaskStatus | undefined
      /** Only jobs with this format. */
      output?: 'html' | 'markdown' | 'text' | 'links' | 'metadata' | 'screenshot' | undefined
    }
    body: undefined
    response: ExtractJobList
  }
  /** getExtractJob: Get a single task as a job, with its data */
  'GET /v1/extract/{job_id}': {
    path: {
      /** The id of the job. */
      job_id: string
    }
    query: undefined
    body: undefined
    response: ExtractJob
  }
  /** getExtractFile: Get the file that a target sent */
  'GET /v1/extract/{job_id}/file': {
    path: {
      /** The id of the job. */
      job_id: string
    }
    query: {
      /** Replaces credentials, for this file only. */
      signature?: string | undefined
    }
    body: undefined
    response: Blob
  }
  /** createBatch: Extract the content of many pages */
  'POST /v1/batch': {
    path: undefined
    query: undefined
    body: BatchRequest
    response: AcceptedBatch
  }
  /** listBatches: List batches, newest first */
  'GET /v1/batch/jobs': {
    path: undefined
    query: {
      /** Which page, from 1. */
      page?: number | undefined
      /** How many on a page. */
      page_size?: number | undefined
      /** From this time or day on: ISO 8601, UTC if it has no zone. */
      start_date?: string | undefined
      /** Up to this time, or to the end of this day: ISO 8601, UTC if it has no zone. */
      end_date?: string | undefined
      /** Only jobs with this status. */
      status?: TaskStatus | undefined
    }
    body: undefined
    response: BatchJobList
  }
  /** getBatch: Get a batch with a page of its results */
  'GET /v1/batch/{job_id}': {
    path: {
      /** The id of the job. */
      job_id: string
    }
    query: {
      /** Which page, from 1. */
      page?: number | undefined
      /** How many on a page. */
      page_size?: number | undefined
      /** `none` leaves `data`, `links` and `metadata` of results empty. Default: `"all"`. */
      contents?: 'all' | 'none' | undefined
      /** All results without pages, as lines or as one object, for a browser to save. */
      download?: 'ndjson' | 'json' | undefined
    }
    body: undefined
    response: BatchJob
  }
  /** cancelBatch: Cancel a batch */
  'DELETE /v1/batch/{job_id}': {
    path: {
      /** The id of the job. */
      job_id: string
    }
    query: undefined
    body: undefined
    response: CancelledBatch
  }
  /** retryFailedOfBatch: Run the failed pages of a batch again */
  'POST /v1/batch/{job_id}/retry-failed': {
    path: {
      /** The id of the job. */
      job_id: string
    }
    query: undefined
    body: undefined
    response: AcceptedBatch
  }
  /** createCrawl: Extract the content of a site, link by link */
  'POST /v1/crawl': {
    path: undefined
    query: undefined
    body: CrawlRequest
    response: AcceptedCrawl
  }
  /** listCrawls: List crawls, newest first */
  'GET /v1/crawl/jobs': {
    path: undefined
    query: {
      /** Which page, from 1. */
      page?: number | undefined
      /** How many on a page. */
      page_size?: number | undefined
      /** From this time or day on: ISO 8601, UTC if it has no zone. */
      start_date?: string | undefined
      /** Up to this time, or to the end of this day: ISO 8601, UTC if it has no zone. */
      end_date?: string | undefined
      /** Only jobs with this status. */
      status?: TaskStatus | undefined
      /** Only URLs that contain this, in any case. */
      url?: string | undefined
    }
    body: undefined
    response: CrawlJobList
  }
  /** getCrawl: Get a crawl with a page of its results */
  'GET /v1/crawl/{job_id}': {
    path: {
      /** The id of the job. */
      job_id: string
    }
    query: {
      /** Which page, from 1. */
      page?: number | undefined
      /** How many on a page. */
      page_size?: number | undefined
      /** `none` leaves `data`, `links` and `metadata` of results empty. Default: `"all"`. */
      contents?: 'all' | 'none' | undefined
      /** All results without pages, as lines or as one object, for a browser to save. */
      download?: 'ndjson' | 'json' | undefined
    }
    body: undefined
    response: CrawlJob
  }
  /** cancelCrawl: Cancel a crawl */
  'DELETE /v1/crawl/{job_id}': {
    path: {
      /** The id of the job. */
      job_id: string
    }
    query: undefined
    body: undefined
    response: CancelledCrawl
  }
  /** mapSiteUrls: List the URLs of a site */
  'POST /v1/map': {
    path: undefined
    query: undefined
    body: MapRequest
    response: SiteMap
  }
  /** listMaps: List maps, newest first */
  'GET /v1/map/jobs': {
    path: undefined
    query: {
      /** Which page, from 1. */
      page?: number | undefined
      /** How many on a page. */
      page_size?: number | undefined
      /** From this time or day on: ISO 8601, UTC if it has no zone. */
      start_date?: string | undefined
      /** Up to this time, or to the end of this day: ISO 8601, UTC if it has no zone. */
      end_date?: string | undefined
      /** Only jobs with this status. */
      status?: TaskStatus | undefined
      /** Only URLs that contain this, in any case. */
      url?: string | undefined
    }
    body: undefined
    response: MapJobList
  }
  /** getMap: Get a map by its id */
  'GET /v1/map/{job_id}': {
    path: {
      /** The id of the job. */
      job_id: string
    }
    query: undefined
    body: undefined
    response: MapJob
  }
  /** listJobs: List batches, crawls and maps together, newest first */
  'GET /v1/jobs': {
    path: undefined
    query: {
      /** Which page, from 1. */
      page?: number | undefined
      /** How many on a page. */
      page_size?: number | undefined
      /** From this time or day on: ISO 8601, UTC if it has no zone. */
      start_date?: string | undefined
      /** Up to this time, or to the end of this day: ISO 8601, UTC if it has no zone. */
      end_date?: string | undefined
      /** Only jobs with this status. */
      status?: TaskStatus | undefined
      /** Only URLs that contain this, in any case. */
      url?: string | undefined
      /** Only jobs of this kind. */
      kind?: 'batch' | 'crawl' | 'map' | undefined
    }
    body: undefined
    response: JobList
  }
  /** getJob: Get a batch, a crawl or a map by its id alone */
  'GET /v1/jobs/{job_id}': {
    path: {
      /** The id of the job. */
      job_id: string
    }
    query: undefined
    body: undefined
    response: Job
  }
  /** searchTasks: Search all tasks, newest first */
  'GET /v1/tasks': {
    path: undefined
    query: {
      /** Which page, from 1. */
      page?: number | undefined
      /** How many on a page. */
      page_size?: number | undefined
      /** From this time or day on: ISO 8601, UTC if it has no zone. */
      start_date?: string | undefined
      /** Up to this time, or to the end of this day: ISO 8601, UTC if it has no zone. */
      end_date?: string | undefined
      /** Only tasks with this status. */
      status?: TaskStatus | undefined
      /** Only URLs that contain this, in any case. */
      url?: string | undefined
      /** Only URLs of this host: `example.com`, or `example.com:8443` for one port. */
      host?: string | undefined
      /** Only tasks that failed with this code. */
      code?: 'BAD_REQUEST' | 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'PAYMENT_REQUIRED' | 'FORBIDDEN' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'REQUEST_TIMEOUT' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'URI_TOO_LONG' | 'UNSUPPORTED_MEDIA_TYPE' | 'HEADERS_TOO_LARGE' | 'URL_NOT_ALLOWED' | 'NO_PROXY_AVAILABLE' | 'RATE_LIMITED' | 'QUEUE_FULL' | 'OVERLOADED' | 'BROWSER_UNAVAILABLE' | 'SHUTTING_DOWN' | 'STORE_UNAVAILABLE' | 'STORE_FULL' | 'SEARCH_UNAVAILABLE' | 'INTERNAL_ERROR' | 'TARGET_UNREACHABLE' | 'TARGET_DNS_FAILED' | 'TARGET_TLS_FAILED' | 'TARGET_TIMEOUT' | 'RESPONSE_TOO_LARGE' | 'BAD_RESPONSE' | 'UNSUPPORTED_CONTENT' | 'CONTENT_TOO_COMPLEX' | 'CHALLENGE' | 'ROBOTS_DISALLOWED' | 'OUT_OF_SCOPE' | 'TOO_MANY_REDIRECTS' | 'SELECTOR_NOT_FOUND' | 'ACTION_FAILED' | 'PROXY_FAILED' | 'BROWSER_CRASHED' | 'SCREENSHOT_FAILED' | 'CANCELLED' | 'EXPIRED' | undefined
      /** Only pages of this batch, crawl or map. */
      job?: string | undefined
    }
    body: undefined
    response: TaskSearchResult
  }
  /** getTaskDetails: Get a task with its attempts and deliveries */
  'GET /v1/tasks/{task_id}': {
    path: {
      /** The id of the task. */
      task_id: string
    }
    query: undefined
    body: undefined
    response: TaskDetails
  }
  /** cancelTaskById: Cancel a task of any kind */
  'DELETE /v1/tasks/{task_id}': {
    path: {
      /** The id of the task. */
      task_id: string
    }
    query: undefined
    body: undefined
    response: TaskDetails
  }
  /** getTaskResponse: Get what the target answered, without the content */
  'GET /v1/tasks/{task_id}/response': {
    path: {
      /** The id of the task. */
      task_id: string
    }
    query: undefined
    body: undefined
    response: TargetResponse
  }
  /** previewTask: Look at what a task has scraped */
  'GET /v1/tasks/{task_id}/preview': {
    path: {
      /** The id of the task. */
      task_id: string
    }
    query: {
      /** The page as it was scraped, its markdown as a page, or its image. Default: `"html"`. */
      format?: 'html' | 'markdown' | 'screenshot' | undefined
    }
    body: undefined
    response: string
  }
  /** retryTask: Run the request of an ended task again */
  'POST /v1/tasks/{task_id}/retry': {
    path: {
      /** The id of the task. */
      task_id: string
    }
    query: undefined
    body: {
      /** False leaves out the callback (replay): the result is only kept. Default: `true`. */
      callback?: boolean | undefined
    }
    response: AcceptedRetry
  }
  /** watchEvents: Watch what happens to tasks and jobs */
  'GET /v1/events': {
    path: undefined
    query: {
      /** `tasks`, `jobs`, `queue`, `task:ID` and `job:ID`, separated by commas; the first three by default. Default: `"tasks,jobs,queue"`. */
      topics?: string | undefined
    }
    body: undefined
    response: string
  }
  /** getStatistics: Count what the account has extracted, by day */
  'GET /v1/statistics': {
    path: undefined
    query: {
      /** From this time or day on: ISO 8601, UTC if it has no zone. */
      start_date?: string | undefined
      /** Up to this time, or to the end of this day: ISO 8601, UTC if it has no zone. */
      end_date?: string | undefined
    }
    body: undefined
    response: Statistics
  }
  /** getConcurrencyUsage: Count the running tasks of the account */
  'GET /v1/usage/concurrency': {
    path: undefined
    query: undefined
    body: undefined
    response: ConcurrencyUsage
  }
  /** getSeries: Count what the account has scraped, minute by minute */
  'GET /v1/series': {
    path: undefined
    query: {
      /** From this time or day on: ISO 8601, UTC if it has no zone. */
      start_date?: string | undefined
      /** Up to this time, or to the end of this day: ISO 8601, UTC if it has no zone. */
      end_date?: string | undefined
      /** How long a step is; if it is left out, the shortest that gives at most 300 steps. */
      step?: '1m' | '5m' | '15m' | '1h' | '4h' | '1d' | undefined
    }
    body: undefined
    response: Series
  }
  /** listDomains: See how each host has responded */
  'GET /v1/domains': {
    path: undefined
    query: {
      /** Which page, from 1. */
      page?: number | undefined
      /** How many on a page. */
      page_size?: number | undefined
      /** From this time or day on: ISO 8601, UTC if it has no zone. */
      start_date?: string | undefined
      /** Up to this time, or to the end of this day: ISO 8601, UTC if it has no zone. */
      end_date?: string | undefined
    }
    body: undefined
    response: {
      items: Array<Domain>
      /** The page asked for. */
      page: number
      page_size: number
      /** How many pages there are; 0 when there is nothing. */
      page_count: number
    }
  }
  /** getSystem: See the whole service */
  'GET /v1/system': {
    path: undefined
    query: undefined
    body: undefined
    response: System
  }
  /** listProxies: List the proxies with their health */
  'GET /v1/proxies': {
    path: undefined
    query: {
      /** Which page, from 1. */
      page?: number | undefined
      /** How many on a page. */
      page_size?: number | undefined
    }
    body: undefined
    response: ProxyList
  }
  /** handleMcpMessage: Send a message of the Model Context Protocol */
  'POST /mcp': {
    path: undefined
    query: undefined
    body: McpMessage
    response: McpMessage | string
  }
  /** runSearch: Search the web */
  'POST /v1/search': {
    path: undefined
    query: undefined
    body: {
      /** What to search for. */
      query: string
      /** A language tag such as `en-US`. */
      locale?: string | null | undefined
      /** Which page of the results, from 1. */
      page?: number | null | undefined
      /** The level of safe search. */
      safe?: 'off' | 'moderate' | 'strict' | null | undefined
      /** How old the results may be. */
      time_range?: 'day' | 'week' | 'month' | 'year' | null | undefined
    }
    response: SearchResults
  }
  /** listSearchJobs: List searches, newest first */
  'GET /v1/search/jobs': {
    path: undefined
    query: {
      /** Which page, from 1. */
      page?: number | undefined
      /** How many on a page. */
      page_size?: number | undefined
      /** From this time or day on: ISO 8601, UTC if it has no zone. */
      start_date?: string | undefined
      /** Up to this time, or to the end of this day: ISO 8601, UTC if it has no zone. */
      end_date?: string | undefined
      /** Only searches for this text or a part of it. */
      query?: string | undefined
      /** Only searches with this status. */
      status?: TaskStatus | undefined
    }
    body: undefined
    response: SearchList
  }
  /** getSearchJob: Get a search with its results */
  'GET /v1/search/{job_id}': {
    path: {
      /** The id of the job. */
      job_id: string
    }
    query: undefined
    body: undefined
    response: SearchJob
  }
  /** listWhitelistedIps: List the addresses that need no credentials */
  'GET /api/configuration/active/whitelisted-ips': {
    path: undefined
    query: undefined
    body: undefined
    response: WhitelistedIps
  }
  /** addWhitelistedIps: Add addresses that need no credentials */
  'POST /api/configuration/active/whitelisted-ips': {
    path: undefined
    query: undefined
    body: {
      ips: Array<{
        /** An IPv4 or IPv6 address, or a CIDR block. */
        ip: string
        /** Free text. Default: `""`. */
        description?: string | undefined
      }>
    }
    response: ChangedWhitelistedIps
  }
  /** updateWhitelistedIp: Change the description of a whitelisted address */
  'PUT /api/configuration/active/whitelisted-ips': {
    path: undefined
    query: undefined
    body: {
      /** An IPv4 or IPv6 address, or a CIDR block. */
      ip: string
      /** Free text. */
      description: string
    }
    response: ChangedWhitelistedIps
  }
  /** removeWhitelistedIps: Remove addresses from the list */
  'DELETE /api/configuration/active/whitelisted-ips': {
    path: undefined
    query: undefined
    body: {
      ips: Array<{
        /** An IPv4 or IPv6 address, or a CIDR block. */
        ip: string
      }>
    }
    response: ChangedWhitelistedIps
  }
  /** listApiKeys: List the API keys of the account, oldest first */
  'GET /v1/keys': {
    path: undefined
    query: undefined
    body: undefined
    response: ApiKeyList
  }
  /** createApiKey: Create an API key */
  'POST /v1/keys': {
    path: undefined
    query: undefined
    body: NewApiKey
    response: CreatedApiKey
  }
  /** revokeApiKey: Revoke an API key */
  'DELETE /v1/keys/{key_id}': {
    path: {
      /** The id of a key. */
      key_id: string
    }
    query: undefined
    body: undefined
    response: undefined
  }
  /** listWebhooks: List the webhooks of the account, newest first */
  'GET /v1/webhooks': {
    path: undefined
    query: {
      /** Which page, from 1. */
      page?: number | undefined
      /** How many on a page. */
      page_size?: number | undefined
    }
    body: undefined
    response: WebhookList
  }
  /** createWebhook: Create a webhook */
  'POST /v1/webhooks': {
    path: undefined
    query: undefined
    body: NewWebhook
    response: CreatedWebhook
  }
  /** getWebhook: Get one webhook */
  'GET /v1/webhooks/{webhook_id}': {
    path: {
      /** The id of a webhook. */
      webhook_id: string
    }
    query: undefined
    body: undefined
    response: Webhook
  }
  /** updateWebhook: Change a webhook */
  'PATCH /v1/webhooks/{webhook_id}': {
    path: {
      /** The id of a webhook. */
      webhook_id: string
    }
    query: undefined
    body: WebhookChange
    response: Webhook
  }
  /** deleteWebhook: Delete a webhook */
  'DELETE /v1/webhooks/{webhook_id}': {
    path: {
      /** The id of a webhook. */
      webhook_id: string
    }
    query: undefined
    body: undefined
    response: undefined
  }
  /** rotateWebhookSecret: Give a webhook a new secret */
  'POST /v1/webhooks/{webhook_id}/rotate-secret': {
    path: {
      /** The id of a webhook. */
      webhook_id: string
    }
    query: undefined
    body: undefined
    response: {
      secret: string
    }
  }
  /** testWebhook: Send a ping to a webhook now */
  'POST /v1/webhooks/{webhook_id}/test': {
    path: {
      /** The id of a webhook. */
      webhook_id: string
    }
    query: undefined
    body: undefined
    response: PingOutcome
  }
  /** listWebhookDeliveries: List the deliveries of a webhook, newest first */
  'GET /v1/webhooks/{webhook_id}/deliveries': {
    path: {
      /** The id of a webhook. */
      webhook_id: string
    }
    query: {
      /** Which page, from 1. */
      page?: number | undefined
      /** How many on a page. */
      page_size?: number | undefined
      /** Only deliveries in this state. */
      status?: DeliveryStatus | undefined
    }
    body: undefined
    response: WebhookDeliveryList
  }
  /** getWebhookDelivery: Get a delivery with its attempts and its body */
  'GET /v1/webhooks/{webhook_id}/deliveries/{delivery_id}': {
    path: {
      /** The id of a webhook. */
      webhook_id: string
      /** The id of a delivery. */
      delivery_id: string
    }
    query: undefined
    body: undefined
    response: WebhookDeliveryDetails
  }
  /** redeliverWebhookDelivery: Send a delivery once more */
  'POST /v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver': {
    path: {
      /** The id of a webhook. */
      webhook_id: string
      /** The id of a delivery. */
      delivery_id: string
    }
    query: undefined
    body: undefined
    response: {
      /** The delivery. */
      id: string
    }
  }
  /** recoverWebhookDeliveries: Redeliver what failed or was skipped since a time */
  'POST /v1/webhooks/{webhook_id}/recover': {
    path: {
      /** The id of a webhook. */
      webhook_id: string
    }
    query: undefined
    body: Recover
    response: {
      /** How many. */
      recovered: number
    }
  }
}
