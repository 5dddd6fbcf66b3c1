import { setTimeout as pause } from 'node:timers/promises'
import { callbackPath, realtimePath } from '../../support/scrape-calls.ts'
import { until } from '../../support/until.ts'
import type { OriginCaller } from './ask-origin.ts'
import type { Stage } from './hostile-case.ts'
import { answering } from './raw-answers.ts'
import { startAnsweringPeer } from './start-peers.ts'

/** Good tasks of another account, half of them waited for and half of them called back about. */
export interface Neighbours {
  /** Runs so many, one begun every so often; the answer has how long each took. */
  run(count: number, everyMs: number): Promise<NeighbourReport>
}

export interface NeighbourReport {
  finishedCount: number
  failures: string[]
  tookMs: number[]
}

const page = '<p>a good page</p>'
const finishedWithinMs = 60_000

export async function startNeighbours(stage: Stage, caller: OriginCaller): Promise<Neighbours> {
  const origin = await startAnsweringPeer(stage, answering(page))
  const told = new Set<string>()
  const receiver = await startAnsweringPeer(stage, (socket, request) => {
    told.add(
      JSON.parse(Buffer.from(request.slice(request.indexOf('\r\n\r\n')), 'latin1').toString())
        .requestId,
    )
    socket.write('HTTP/1.1 204 No Content\r\n\r\n')
  })
  const url = `http://127.0.0.1:${origin}/`
  const callbackUrl = `http://127.0.0.1:${receiver}/`

  return {
    async run(count, everyMs) {
      const report: NeighbourReport = { finishedCount: 0, failures: [], tookMs: [] }
      await Promise.all(
        Array.from({ length: count }, async (_, index) => {
          await pause(index * everyMs)
          const startedAtMs = performance.now()
          const failure = await (index % 2 === 0 ? askNow() : askForCallback())
          report.tookMs.push(performance.now() - startedAtMs)
          if (failure === undefined) report.finishedCount += 1
          else report.failures.push(failure)
        }),
      )
      return report
    },
  }

  async function askNow(): Promise<string | undefined> {
    const answer = await caller.call(`POST ${realtimePath}`, { url })
    return answer.text === page ? undefined : answer.text.slice(0, 200)
  }

  async function askForCallback(): Promise<string | undefined> {
    const answer = await caller.call(`POST ${callbackPath}`, { url, callbackUrl })
    if (answer.statusCode !== 202) return answer.text.slice(0, 200)
    const { requestId } = answer.json()
    try {
      await until(() => told.has(requestId), { withinMs: finishedWithinMs })
      return undefined
    } catch (error) {
      return String(error)
    }
  }
}
