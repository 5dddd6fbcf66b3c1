import { setTimeout as pause } from 'node:timers/promises'
import { callbackPath, realtimePath } from '../../support/scrape-calls.ts'
import { until } from '../../support/until.ts'
import type { Stage } from './hostile-case.ts'
import { sendResponse } from './raw-responders.ts'
import type { OriginCaller } from './scrape-origin.ts'
import { startRespondingPeer } from './start-peers.ts'

/** Good tasks of another account, half of them in realtime mode and half with a callback. */
export interface Neighbours {
  /** Starts one task per interval and returns how long each took. */
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
  const origin = await startRespondingPeer(stage, sendResponse(page))
  const calledBack = new Set<string>()
  const receiver = await startRespondingPeer(stage, (socket, request) => {
    calledBack.add(
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
      await until(() => calledBack.has(requestId), { withinMs: finishedWithinMs })
      return undefined
    } catch (error) {
      return String(error)
    }
  }
}
