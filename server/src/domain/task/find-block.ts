import type { Page } from '../scrape/page.ts'
import type { TaskError } from './task.ts'

/** The headers by which their vendors say that a response is a challenge instead of the page. */
const challengeMarks: [header: string, value: RegExp][] = [
  // developers.cloudflare.com: "Detect a Challenge Page response"
  ['cf-mitigated', /^challenge$/i],
  // docs.aws.amazon.com, AWS WAF: "CAPTCHA and Challenge action behavior"
  ['x-amzn-waf-action', /^(?:captcha|challenge)$/i],
]

/**
 * Why the last response of a target is no answer to an extraction: the target asked for a pause, for
 * credentials of a proxy, or for proof of a human visitor. Words of the page are never a reason, since any page may contain them.
 */
export function findBlock(
  { statusCode, headers }: Pick<Page, 'statusCode' | 'headers'>,
  hasChallengeForm = false,
): TaskError | undefined {
  const isMarked = challengeMarks.some(([name, value]) => value.test(headers[name]?.trim() ?? ''))
  if (isMarked || (hasChallengeForm && refusingStatuses.has(statusCode))) {
    return {
      code: 'CHALLENGE',
      message: `The target answered ${statusCode} with a challenge page. Another proxy, or \`render_js\`, may pass it.`,
    }
  }
  return blockingStatuses[statusCode]
}

/** What firewalls answer instead of the page. */
const refusingStatuses = new Set([403, 429, 503])

const blockingStatuses: Record<number, TaskError> = {
  407: {
    code: 'PROXY_FAILED',
    message:
      'The target answered 407: it is a proxy, or behind one, that asks for credentials. Another proxy may pass.',
  },
  429: {
    code: 'RATE_LIMITED',
    message:
      'The target answered 429 (too many requests), also after the retries. Ask it less often.',
  },
}
