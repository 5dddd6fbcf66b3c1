import type { TestContext } from 'node:test'
import type { FailureCode } from '../../../src/domain/failure.ts'
import type { TestDns } from '../../support/test-dns.ts'
import type { WireAnswer } from './raw-answers.ts'
import { findClosedPort, startAnsweringPeer, startFullPeer, startMutePeer } from './start-peers.ts'

/** Where hostile peers live: they end with the stage. */
export interface Stage extends Pick<TestContext, 'after'> {
  readonly dns: TestDns
}

/** A code of the contract, or the status of the page that is delivered all the same. */
export type Verdict = FailureCode | number

/** A target that means no good, and what must become of whoever asks for it. */
export interface HostileOrigin {
  name: string
  group: OriginGroup
  /** Starts it; the answer is what to scrape. */
  start(stage: Stage): Promise<string>
  /** Beside the URL. */
  ask?: { timeout_ms?: number; configurations?: Record<string, unknown> }
  /** One for each time that it is asked. */
  verdicts: Verdict[]
  /** Whether the result object is as it should be. */
  isRight?(result: ScrapeResult): boolean
  /** When each verdict is there at the latest. */
  withinMs: number
  /** Takes longer than a test may; only `npm run faults` waits for it. */
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
    here(await startAnsweringPeer(stage, answer))

/** For an answer that takes long to make: it is made when it is needed. */
export const answersWithMade =
  (make: () => WireAnswer) =>
  async (stage: Stage): Promise<string> =>
    here(await startAnsweringPeer(stage, make()))

export const connectsAnd =
  (onConnection: WireAnswer) =>
  async (stage: Stage): Promise<string> =>
    here(await startMutePeer(stage, onConnection))

export const isFull = async (stage: Stage): Promise<string> => here(await startFullPeer(stage))

export const isClosed = async (): Promise<string> => here(await findClosedPort())
