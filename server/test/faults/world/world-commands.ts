/** Commands for the world process; the prefix of a task's nonce names its group. */

export interface CallingOptions {
  serviceUrls: readonly string[]
  apiKey: string
  /** Callers who use only services whose `/readyz` was recently 200, like a load balancer. */
  politeCount: number
  /** Callers who continue whatever the responses are. */
  bluntCount: number
  pauseMs: number
  /** How long the origin takes for each page. */
  originDelayMs: number
}

export interface SubmitOptions {
  serviceUrl: string
  apiKey: string
  prefix: string
  count: number
  together: number
  originDelayMs: number
  receiverDelayMs: number
  /** The receivers of the callbacks. */
  receivers: readonly string[]
}

/** How many pages were requested and how many callbacks have arrived. */
export interface Progress {
  asked: number
  arrived: number
}

export interface DuplicateOptions {
  serviceUrls: readonly string[]
  apiKey: string
  key: string
  count: number
}

export interface DuplicateResponse {
  status: number
  requestId: string | undefined
  isReplay: boolean
}
