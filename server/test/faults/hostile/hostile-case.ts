import type { TestContext } from 'node:test'
import type { FailureCode } from '../../../src/domain/failure.ts'
import type { TestDns } from '../../support/test-dns.ts'
import type { WireAnswer } from './raw-responders.ts'
import { findClosedPort, startFullPeer, startMutePeer, startRespondingPeer } from './start-peers.ts'

/** Owns the hostile peers: they stop when it ends. */
export interface Stage extends Pick<TestContext, 'after'> {
  readonly dns: TestDns
}

/** A failure code, or the status of the page that is delivered all the same. */
export type Verdict = FailureCode | number

/** A hostile target and the expected outcome of a scrape. */
export interface HostileOrigin {
  name: string
  group: OriginGroup
  /** Starts the target and returns the URL to scrape. */
  start(stage: Stage): Promise<string>
  /** Further fields of the request. */
  ask?: { timeout_ms?: number; configurations?: Record<string, unknown> }
  /** One verdict per scrape. */
  verdicts: Verdict[]
  /** Whether the result object is as expected. */
  isRight?(result: ScrapeResult): boolean
  /** The time limit for each verdict. */
  withinMs: number
  /** Takes longer than a test may; only `npm run faults` runs it. */
  isLong?: boolean
}

export const originGroups = [
  'bombs',
  'framing',
  'slowness',
  'redirects',
  'trust',
  'content',
  'names',
] as const
type OriginGroup = (typeof originGroups)[number]

export interface ScrapeResult {
  html: string
  cookies: unknown[]
  debug: { charset: string; hasReplacements: boolean; decodedBytes: number }
}

const here = (port: number): string => `http://127.0.0.1:${port}/`

export const answersWith =
  (answer: WireAnswer) =>
  async (stage: Stage): Promise<string> =>
    here(await startRespondingPeer(stage, answer))

/** For a response that is expensive to create: it is created on demand. */
export const answersWithMade =
  (make: () => WireAnswer) =>
  async (stage: Stage): Promise<string> =>
    here(await startRespondingPeer(stage, make()))

export const connectsAnd =
  (onConnection: WireAnswer) =>
  async (stage: Stage): Promise<string> =>
    here(await startMutePeer(stage, onConnection))

export const isFull = async (stage: Stage): Promise<string> => here(await startFullPeer(stage))

export const isClosed = async (): Promise<string> => here(await findClosedPort())
