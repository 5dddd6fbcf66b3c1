import { setTimeout as pause } from 'node:timers/promises'
import type { FaultService } from '../fault-service.ts'
import { childrenMib, forgetPeak, peakMib, residentMib } from '../process-facts.ts'
import { deliverToReceiver, listUnprintable, startCallbackPages } from './deliver-to-receiver.ts'
import { originGroups } from './hostile-case.ts'
import { hostileOrigins } from './hostile-origins.ts'
import { hostileReceivers } from './hostile-receivers.ts'
import { startHostileService } from './hostile-service.ts'
import { type NeighbourReport, startNeighbours } from './neighbours.ts'
import { type PeerOutcome, scrapeOrigin } from './scrape-origin.ts'

/** The outcome of a group of hostile peers, and its cost for everybody else. */
export interface GroupReport {
  group: string
  seen: PeerOutcome[]
  neighbours: NeighbourReport
  /** Resident memory of the service: before, and the peak. */
  beforeMib: number
  peakMib: number
  /** Peak memory of its child processes. */
  childrenMib: number
  /** Delays of the event loop. */
  loopMs: { p99: number; max: number }
}

export interface HostileReport {
  groups: GroupReport[]
  /** Entries of the delivery log with unprintable characters. */
  unprintable: string[]
}

export interface HostileRun {
  /** Includes cases that take minutes. */
  isLong: boolean
  say(line: string): void
}

const neighboursPerGroup = 10

/** Runs every hostile origin and receiver against one service by group, beside good tasks. */
export async function runHostile(run: HostileRun): Promise<HostileReport> {
  await using resources = new AsyncDisposableStack()
  const { service, stage } = await startHostileService(resources)
  const caller = await service.createAccount('caller')
  const neighbours = await startNeighbours(stage, await service.createAccount('neighbour'))
  const pages = await startCallbackPages(stage)
  // Memory loaded with the first task is not caused by the attackers.
  await neighbours.run(20, 20)

  const groups: GroupReport[] = []
  const measure = async (group: string, tellAll: () => Promise<PeerOutcome[]>): Promise<void> => {
    const beside = () => neighbours.run(neighboursPerGroup, 150)
    groups.push(await measureGroup(service, group, tellAll, beside))
    run.say(`${group} is through`)
  }
  for (const group of originGroups) {
    const cases = hostileOrigins.filter((one) => one.group === group && (run.isLong || !one.isLong))
    const ask = cases.map((origin) => () => scrapeOrigin(stage, caller, origin))
    // One by one first, to see what a single one of them takes.
    if (group === 'bombs') {
      for (const one of ask.slice(0, 5)) await measure('one bomb', () => atOnce([one]))
    }
    await measure(group, () => atOnce(ask))
  }
  const deliveryParts = { service, caller, pages }
  const deliveries = hostileReceivers.map(
    (receiver) => () => deliverToReceiver(stage, deliveryParts, receiver),
  )
  await measure('receivers', () => atOnce(deliveries))
  return { groups, unprintable: await listUnprintable(service) }
}

const atOnce = (asks: (() => Promise<PeerOutcome>)[]): Promise<PeerOutcome[]> =>
  Promise.all(asks.map((ask) => ask()))

async function measureGroup(
  service: FaultService,
  group: string,
  tellAll: () => Promise<PeerOutcome[]>,
  beside: () => Promise<NeighbourReport>,
): Promise<GroupReport> {
  const { pid } = service
  const beforeMib = residentMib(pid)
  forgetPeak(pid)
  await readLoop(service)
  const ending = new AbortController()
  const children = watchChildren(pid, ending.signal)
  const [seen, neighbours] = await Promise.all([tellAll(), beside()])
  ending.abort()
  return {
    group,
    seen,
    neighbours,
    beforeMib,
    peakMib: peakMib(pid),
    childrenMib: await children,
    loopMs: await readLoop(service),
  }
}

async function watchChildren(pid: number, signal: AbortSignal): Promise<number> {
  let most = 0
  while (!signal.aborted) {
    most = Math.max(most, childrenMib(pid))
    await pause(50)
  }
  return most
}

/** Delays since the last call: the service resets them when its metrics are read. */
async function readLoop({ url }: FaultService): Promise<GroupReport['loopMs']> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const read = (name: string) =>
    1_000 *
    Number(new RegExp(`^trawl_nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)?.[1])
  return { p99: read('p99'), max: read('max') }
}
