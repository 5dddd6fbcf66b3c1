import { fileURLToPath } from 'node:url'
import { type Asked, startAsked } from '../../../bench/program.ts'
import { basicOf, callApi } from '../../support/call-api.ts'
import { serviceEnvironment } from '../../support/test-service.ts'
import { watchMemory } from '../callers/run-caller.ts'
import { ServiceUnderFire } from '../ledger/service-under-fire.ts'
import type { AuthQuestion, CallersAnswer, TimingAnswer } from './auth-callers.ts'

export interface AuthReport {
  alone: CallersAnswer & { quietCount: number }
  beside: CallersAnswer & { quietCount: number }
  guesses: CallersAnswer
  /** Before anybody has logged in to the account since the start, and after. */
  timing: { beforeLogin: TimingAnswer; afterLogin: TimingAnswer }
  /** Answers to the right password: the first since the start, then one in each round of the flood. */
  logins: number[]
  /** Answers to callers who claim to come from an address that is on the list; all should be 401. */
  spoofed: number[]
  residentBytes: { before: number; highest: number }
}

const credentials = {
  TRAWL_USERNAME: 'admin',
  TRAWL_PASSWORD: 'the-password-of-the-flood',
  TRAWL_API_KEY: 'the-key-of-the-flood',
}
const listedAddress = '192.0.2.77'
const keysPerSecond = 200
const guessesPerSecond = 100
const callers = fileURLToPath(new URL('./auth-callers.ts', import.meta.url))

/** Good keys alone, then beside a flood of wrong passwords, taking turns so that both see the same machine. */
export async function runAuth(options: {
  dataDir: string
  rounds: number
  roundMs: number
  timingMs: number
}): Promise<AuthReport> {
  await using resources = new AsyncDisposableStack()
  const service = resources.use(
    new ServiceUnderFire({ ...serviceEnvironment(options), ...credentials }),
  )
  await service.start()
  const good = resources.use(startAsked(callers))
  const bad = resources.use(startAsked(callers))
  const ask = <Answer>(who: Asked, question: Pick<AuthQuestion, 'kind' | 'ms' | 'perSecond'>) =>
    who.ask<Answer>({
      ...question,
      serviceUrl: service.url,
      apiKey: credentials.TRAWL_API_KEY,
      username: credentials.TRAWL_USERNAME,
    })
  const useKeys = () =>
    ask<CallersAnswer>(good, { kind: 'keys', ms: options.roundMs, perSecond: keysPerSecond })
  const flood = () =>
    ask<CallersAnswer>(bad, { kind: 'guesses', ms: options.roundMs, perSecond: guessesPerSecond })

  const compareTiming = () =>
    ask<TimingAnswer>(good, { kind: 'timing', ms: options.timingMs / 2, perSecond: 0 })

  const beforeLogin = await compareTiming()
  const logins = [await logInAmongGuesses(service.url)]
  const afterLogin = await compareTiming()
  const memory = await watchMemory(service.url)
  const [alone, beside, guesses]: CallersAnswer[][] = [[], [], []]
  for (let round = 0; round < options.rounds; round += 1) {
    alone?.push(await useKeys())
    const [keysBeside, guessed, login] = await Promise.all([
      useKeys(),
      flood(),
      logIn(service.url, credentials.TRAWL_PASSWORD),
    ])
    logins.push(login)
    beside?.push(keysBeside)
    guesses?.push(guessed)
  }
  return {
    alone: together(alone ?? []),
    beside: together(beside ?? []),
    guesses: together(guesses ?? []),
    timing: { beforeLogin, afterLogin },
    logins,
    spoofed: await spoof(service.url),
    residentBytes: await memory.stop(),
  }
}

/** The first right password since the start, from the same address as guesses that came at once before it. */
async function logInAmongGuesses(url: string): Promise<number> {
  const guesses = Array.from({ length: 12 }, (_, index) => logIn(url, `first-${index}`))
  const status = await logIn(url, credentials.TRAWL_PASSWORD)
  await Promise.all(guesses)
  return status
}

async function logIn(url: string, password: string): Promise<number> {
  const headers = { authorization: basicOf(credentials.TRAWL_USERNAME, password) }
  return (await callApi(url, 'GET /v1/webhooks', { headers })).statusCode
}

/** Nobody named a proxy, so what a header says about the caller's address counts for nothing. */
async function spoof(url: string): Promise<number[]> {
  const { TRAWL_USERNAME: name, TRAWL_PASSWORD: password } = credentials
  await callApi(url, 'POST /api/configuration/active/whitelisted-ips', {
    headers: { authorization: basicOf(name, password) },
    body: { ips: [{ ip: listedAddress }] },
  })
  const claims = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip', 'client-ip']
  const answers = await Promise.all(
    claims.map((header) =>
      callApi(url, 'GET /api/scraper/scrape/callback', {
        headers: { [header]: header === 'forwarded' ? `for=${listedAddress}` : listedAddress },
      }),
    ),
  )
  return answers.map(({ statusCode }) => statusCode)
}

// As long as a slow answer: what a caller sees of it is no word about the service.
const heldUpMsMax = 10

/** Those in which the machine did not stand still; all of them, if it always did. */
function quiet(rounds: readonly CallersAnswer[]): readonly CallersAnswer[] {
  const undisturbed = rounds.filter(({ heldUpMs }) => heldUpMs <= heldUpMsMax)
  return undisturbed.length > 0 ? undisturbed : rounds
}

/** Counts are added up; of the times the middle one of the quiet rounds is told. */
function together(rounds: readonly CallersAnswer[]): CallersAnswer & { quietCount: number } {
  const byStatus: Record<string, number> = {}
  for (const round of rounds) {
    for (const [status, count] of Object.entries(round.byStatus)) {
      byStatus[status] = (byStatus[status] ?? 0) + count
    }
  }
  const told = quiet(rounds)
  const middle = (values: number[]) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  return {
    byStatus,
    p50Ms: middle(told.map(({ p50Ms }) => p50Ms)),
    p99Ms: middle(told.map(({ p99Ms }) => p99Ms)),
    heldUpMs: middle(told.map(({ heldUpMs }) => heldUpMs)),
    quietCount: told.length,
  }
}
