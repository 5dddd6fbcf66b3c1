/** What the world is asked to do; every task's nonce says whose it is by how it begins. */

export interface CallingOptions {
  serviceUrls: readonly string[]
  apiKey: string
  /** Callers who ask only services whose `/readyz` was well a moment ago, as behind a balancer. */
  politeCount: number
  /** Callers who ask on, whatever they hear. */
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
  /** Which of the receivers the callbacks go to. */
  receivers: readonly string[]
}

/** How many pages were asked for and how many callbacks have arrived. */
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

export interface DuplicateAnswer {
  status: number
  requestId: string | undefined
  isReplay: boolean
}
