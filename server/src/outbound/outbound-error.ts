import { notAllowedMessage } from './guard/egress-guard.ts'

/** Every way in which an exchange, or opening its connection, can fail. */
export type OutboundProblem =
  | 'not_allowed'
  | 'dns'
  /** No DNS server answered, or it failed: our own network may be at fault, and the target's name is unknown. */
  | 'dns_silent'
  | 'unreachable'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'bad_response'
  /** The proxy returned no response; whether it or the target failed is unknown. */
  | 'proxy'
  /** The proxy fails for every target: it cannot be reached or refuses our credentials. */
  | 'proxy_unusable'
  | 'aborted'

/** Why an exchange failed. The message is safe to show to callers: it names no address. */
export class OutboundError extends Error {
  readonly problem: OutboundProblem

  constructor(problem: OutboundProblem, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'OutboundError'
    this.problem = problem
  }
}

/** Each problem has one fixed message, so that no message leaks details of the network. */
export const outboundError = (problem: OutboundProblem, cause?: unknown): OutboundError =>
  new OutboundError(problem, messages[problem], cause === undefined ? undefined : { cause })

const messages = {
  not_allowed: notAllowedMessage,
  dns: 'The name of the host could not be resolved.',
  dns_silent: 'No DNS server answered for the name of the host.',
  unreachable: 'The host could not be reached.',
  tls: 'No trusted TLS connection to the host could be made.',
  timeout: 'The host did not answer in time.',
  too_large: 'The answer is larger than allowed.',
  bad_response: 'The answer was not valid HTTP, or was cut off.',
  proxy: 'The proxy refused or broke the connection.',
  proxy_unusable: 'The proxy refused or broke the connection.',
  aborted: 'The exchange was aborted.',
} as const satisfies Record<OutboundProblem, string>
