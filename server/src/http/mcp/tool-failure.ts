import { z } from 'zod'
import type { FailureCode } from '../../domain/failure.ts'
import type { Fault, Problem } from '../errors/problem.ts'
import type { ToolResult } from './tool-output.ts'

/** What to do about a failure, for those where it is not clear from `retryable` alone. */
const advice: Partial<Record<FailureCode, string>> = {
  VALIDATION_ERROR: 'Correct the arguments that `faults` names and call the tool again.',
  NOT_FOUND: 'Check the id; "jobs" lists the jobs of this account.',
  CONFLICT: 'Nothing is left to do: read the job to see how it ended.',
  EXPIRED: 'Start a new job; results are kept for a limited time.',
  URL_NOT_ALLOWED: 'Choose a public address; this service may not reach private networks.',
  TARGET_DNS_FAILED: 'Check the spelling of the host.',
  TARGET_TIMEOUT: 'Try again with a larger "timeout".',
  SELECTOR_NOT_FOUND: 'Check the selector in "wait_config", or leave it out.',
  CHALLENGE: 'Try again with render_js "auto" or another "proxy".',
  NO_PROXY_AVAILABLE: 'Leave "proxy" out, or ask for another country or type.',
  BROWSER_UNAVAILABLE: 'Try again with render_js false.',
  RESPONSE_TOO_LARGE: 'Ask for less: fewer formats, or a smaller page.',
  PAYLOAD_TOO_LARGE: 'Send less: fewer URLs or shorter options.',
  ROBOTS_DISALLOWED: 'The site does not want this page to be crawled. Choose another one.',
}

const retry = 'Wait a moment and call the tool again.'
const giveUp = 'Calling the tool again with the same arguments does not help.'

interface ToolFailure {
  code: string
  message: string
  retryable: boolean
  correlation_id: string
  faults?: { argument: string; problem: string }[]
  retry_after_seconds?: number
}

/** A failure as the result of a tool, which a language model can read and act on. */
function toToolFailure(failure: ToolFailure): ToolResult {
  const { code, retryable } = failure
  const next = (advice as Record<string, string | undefined>)[code] ?? (retryable ? retry : giveUp)
  return {
    content: [{ type: 'text', text: JSON.stringify({ error: failure, next }) }],
    isError: true,
  }
}

export function problemResult({ body, headers }: Problem): ToolResult {
  const { code, message, retryable, correlation_id, detail } = body
  const seconds = headers['retry-after']
  return toToolFailure({
    code,
    message,
    retryable,
    correlation_id,
    ...(detail && { faults: detail.map(toFault) }),
    ...(seconds !== undefined && { retry_after_seconds: Number(seconds) }),
  })
}

const toFault = ({ loc, msg }: Fault) => ({ argument: loc.slice(1).join('.'), problem: msg })

const ErrorFields = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  correlation_id: z.string(),
})

/** The two forms that the body of an error response has. */
const ErrorBody = z.union([
  z.object({ error: ErrorFields.extend({ details: z.object({ reason: z.string() }) }) }),
  ErrorFields,
])

/** An error that a route responded with instead of throwing it, such as a failed extraction. */
export function errorResult(body: Record<string, unknown>, jobId: string | undefined): ToolResult {
  const parsed = ErrorBody.parse(body)
  const { error } = 'error' in parsed ? parsed : { error: { ...parsed, details: undefined } }
  const { details, ...fields } = error
  return toToolFailure({
    ...fields,
    // The fine code says more than the one that clients of `/v1` know.
    code: details?.reason ?? fields.code,
    ...(jobId !== undefined && { job_id: jobId }),
  })
}
