import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { makeScratchFolder } from '../../support/scratch-folder.ts'
import { serviceEnvironment } from '../../support/test-service.ts'
import { KillableService } from '../ledger/killable-service.ts'
import { type CallerNeighbourReport, startNeighbour, startOrigin } from './good-neighbour.ts'
import { hostileCallers } from './hostile-callers.ts'

export interface CallerFinding {
  seen: string
  isAsExpected: boolean
  neighbour: CallerNeighbourReport
  tookMs: number
  residentBytes: { before: number; highest: number }
}

export interface CallerScene extends AsyncDisposable {
  run(name: string): Promise<CallerFinding>
}

const apiKey = 'the-key-of-good-and-bad-callers'
const attacker = fileURLToPath(new URL('./attacker.ts', import.meta.url))

/** A service in its own process, with a good neighbour beside each hostile caller. */
export async function startCallerScene({
  connections,
}: {
  connections: number
}): Promise<CallerScene> {
  const resources = new AsyncDisposableStack()
  const folder = resources.use(await makeScratchFolder())
  const origin = resources.use(await startOrigin())
  const service = resources.use(
    new KillableService({
      ...serviceEnvironment({ dataDir: folder.path }),
      TRAWL_API_KEY: apiKey,
      TRAWL_EGRESS_ALLOW: '127.0.0.0/8',
      TRAWL_REQUEST_TIMEOUT: '3s',
    }),
  )
  await service.start()
  const { url } = service
  await startNeighbour({ url, apiKey, originUrl: origin.url }).stop()
  const target = { serviceUrl: url, apiKey, originUrl: origin.url, connections }

  return {
    async run(name) {
      const memory = await watchMemory(url)
      const neighbour = startNeighbour({ url, apiKey, originUrl: origin.url })
      const startedAtMs = performance.now()
      const seen = await attack(name, target)
      const tookMs = performance.now() - startedAtMs
      return {
        seen,
        isAsExpected: hostileCallers[name]?.expected.test(seen) ?? false,
        neighbour: await neighbour.stop(),
        tookMs,
        residentBytes: await memory.stop(),
      }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function attack(name: string, target: object): Promise<string> {
  const child = fork(attacker)
  const answered = once(child, 'message')
  child.send({ name, target })
  const exited = once(child, 'exit')
  const [seen] = await Promise.race([answered, exited.then(() => ['the attacker died'])])
  await exited
  return seen
}

const lookedAtEveryMs = 100

/** Resident memory of a running service, from its own metrics. */
export async function watchMemory(url: string) {
  const look = async (): Promise<number> => {
    const { memory } = (await (await fetch(`${url}/pressure`)).json()) as Pressure
    return memory.resident_bytes
  }
  const before = await look()
  let highest = before
  const timer = setInterval(async () => {
    highest = Math.max(highest, await look().catch(() => 0))
  }, lookedAtEveryMs)
  return {
    async stop() {
      clearInterval(timer)
      return { before, highest: Math.max(highest, await look()) }
    },
  }
}

interface Pressure {
  memory: { resident_bytes: number }
}
