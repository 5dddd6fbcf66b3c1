/**
 * What travels between the service and its callers, by family of routes: `requests.ts` is what callers
 * send, `responses.ts` what they get, `deliveries.ts` what is posted to them, `examples.ts` shows it.
 * `to-responses.ts` writes responses from what `domain/` has. Nothing here decides.
 */

/** A request to copy, and its response. */
export interface RouteExample {
  summary: string
  query?: Record<string, string>
  body?: unknown
  status?: number
  /** With the fields of the real one; left out where the body is an error or no JSON. */
  response?: unknown
}
