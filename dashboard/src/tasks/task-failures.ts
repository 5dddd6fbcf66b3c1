import type { TaskDetails } from '@trawl/sdk'

type TaskFailure = NonNullable<TaskDetails['error']>

/** Why tasks fail, and what a person can do about it; null where that depends on the request. */
const steps = {
  TARGET_UNREACHABLE: 'Check the host and the port, or try it through a proxy.',
  TARGET_DNS_FAILED: 'Check the host name: it could not be resolved.',
  TARGET_TLS_FAILED: 'Look at the certificate of the site: it is not valid, or TLS failed.',
  TARGET_TIMEOUT: 'Give it more time (timeout), or wait for less of the page.',
  RESPONSE_TOO_LARGE: 'Ask for a smaller page, or raise the limit in the settings of the service.',
  BAD_RESPONSE: 'Replay it; if it stays so, look at the response with curl.',
  UNSUPPORTED_CONTENT: null,
  CONTENT_TOO_COMPLEX: null,
  CHALLENGE: 'The site wants a human: try a browser (render_js) and a residential proxy.',
  ROBOTS_DISALLOWED: 'robots.txt of the site forbids this page.',
  OUT_OF_SCOPE: null,
  TOO_MANY_REDIRECTS: 'The site redirects in a circle: cookies of a session may help.',
  SELECTOR_NOT_FOUND: 'Check the selector against the page: open it in the playground.',
  ACTION_FAILED: 'Check the scenario step by step in the playground.',
  PROXY_FAILED: 'Look at Proxies, or try another country or type.',
  NO_PROXY_AVAILABLE: 'No proxy has this country or type: look at Proxies.',
  BROWSER_CRASHED: 'Replay it; a page that needs less memory may help.',
  BROWSER_UNAVAILABLE: 'Look at System: no browser is ready.',
  SCREENSHOT_FAILED: null,
  URL_NOT_ALLOWED: 'The egress guard blocks this address; TRAWL_EGRESS_ALLOW can allow it.',
  RATE_LIMITED: null,
  STORE_FULL: 'Look at System: the disk is nearly full.',
  INTERNAL_ERROR: null,
  CANCELLED: 'Replay it to run it after all.',
} satisfies Partial<Record<TaskFailure['code'], string | null>>

/** What the list of tasks can be filtered by: what was cancelled has a status of its own. */
export const taskFailureCodes = (Object.keys(steps) as (keyof typeof steps)[]).filter(
  (code) => code !== 'CANCELLED',
)

export const nextStep = ({ code, retryable }: TaskFailure): string =>
  (code in steps ? steps[code as keyof typeof steps] : null) ??
  (retryable
    ? 'Asking again may succeed: replay it.'
    : 'Asking again will not help: open it in the playground and change the request.')
