import { fileURLToPath } from 'node:url'
import { type RpcProcess, startRpcProcess } from '../../../bench/program.ts'
import { basicOf, callApi } from '../../support/call-api.ts'
import { serviceEnvironment } from '../../support/test-service.ts'
import { watchMemory } from '../callers/run-caller.ts'
import { KillableService } from '../ledger/killable-service.ts'
import type { AuthQuestion, CallersAnswer, TimingAnswer } from './auth-callers.ts'

export interface AuthReport {
  alone: CallersAnswer & { quietCount: number }
  beside: CallersAnswer & { quietCount: number }
  guesses: CallersAnswer
  /** Before and after the first login to the account since the start. */
  timing: { beforeLogin: TimingAnswer; afterLogin: TimingAnswer }
  /** Responses to the right password: the first since the start, then one per flood round. */
  logins: number[]
  /** Responses to callers who forge a whitelisted address; all should be 401. */
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

/** Valid keys alone, then during a flood of wrong passwords, alternating on the same machine. */
export async function runAuth(options: {
  dataDir: string
  rounds: number
  roundMs: number
  timingMs: number
}): Promise<AuthReport> {
  await using resources = new AsyncDisposableStack()
  const service = resources.use(
    new KillableService({ ...serviceEnvironment(options), ...credentials }),
  )
  await service.start()
  const good = resources.use(startRpcProcess(callers))
  const bad = resources.use(startRpcProcess(callers))
  const ask = <Answer>(
    who: RpcProcess,
    question: Pick<AuthQuestion, 'kind' | 'ms' | 'perSecond'>,
  ) =>
    who.call<Answer>({
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

/** The first right password since the start, sent from the address of earlier guesses. */
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

/** No trusted proxy is set, so headers about the caller's address must be ignored. */
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

// As long as a slow response: a longer stall makes the callers' measurements meaningless.
const stalledMsMax = 10

/** The rounds in which the machine did not stall; all rounds if it always did. */
function quiet(rounds: readonly CallersAnswer[]): readonly CallersAnswer[] {
  const undisturbed = rounds.filter(({ stalledMs }) => stalledMs <= stalledMsMax)
  return undisturbed.length > 0 ? undisturbed : rounds
}

/** Sums the counts; the times are the median of the quiet rounds. */
function together(rounds: readonly CallersAnswer[]): CallersAnswer & { quietCount: number } {
  const byStatus: Record<string, number> = {}
  for (const round of rounds) {
    for (const [status, count] of Object.entries(round.byStatus)) {
      byStatus[status] = (byStatus[status] ?? 0) + count
    }
  }
  const quietRounds = quiet(rounds)
  const middle = (values: number[]) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  return {
    byStatus,
    p50Ms: middle(quietRounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: middle(quietRounds.map(({ p99Ms }) => p99Ms)),
    stalledMs: middle(quietRounds.map(({ stalledMs }) => stalledMs)),
    quietCount: quietRounds.length,
  }
}
