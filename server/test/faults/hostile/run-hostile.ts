import { setTimeout as pause } from 'node:timers/promises'
import type { FaultService } from '../fault-service.ts'
import { childrenMib, forgetPeak, peakMib, residentMib } from '../process-facts.ts'
import { askOrigin, type Seen } from './ask-origin.ts'
import { originGroups } from './hostile-case.ts'
import { hostileOrigins } from './hostile-origins.ts'
import { hostileReceivers } from './hostile-receivers.ts'
import { startHostileService } from './hostile-service.ts'
import { type NeighbourReport, startNeighbours } from './neighbours.ts'
import { listUnprintable, startCallbackPages, tellReceiver } from './tell-receiver.ts'

/** What a group of hostile peers came to, and what it cost everybody else. */
export interface GroupReport {
  group: string
  seen: Seen[]
  neighbours: NeighbourReport
  /** Resident memory of the service: before, and at its highest. */
  beforeMib: number
  peakMib: number
  /** Of the processes it starts, at their highest. */
  childrenMib: number
  /** How long its event loop was kept from turning. */
  loopMs: { p99: number; max: number }
}

export interface HostileReport {
  groups: GroupReport[]
  /** Entries of the log of attempts with something in them that is not for printing. */
  unprintable: string[]
}

export interface HostileRun {
  /** Also what takes minutes. */
  isLong: boolean
  say(line: string): void
}

const neighboursPerGroup = 10

/** Every hostile origin and receiver against one service, group after group, good tasks beside them. */
export async function runHostile(run: HostileRun): Promise<HostileReport> {
  await using resources = new AsyncDisposableStack()
  const { service, stage } = await startHostileService(resources)
  const caller = await service.createAccount('caller')
  const neighbours = await startNeighbours(stage, await service.createAccount('neighbour'))
  const pages = await startCallbackPages(stage)
  // What is loaded with the first task is not the attackers' doing.
  await neighbours.run(20, 20)

  const groups: GroupReport[] = []
  const measure = async (group: string, tellAll: () => Promise<Seen[]>): Promise<void> => {
    const beside = () => neighbours.run(neighboursPerGroup, 150)
    groups.push(await measureGroup(service, group, tellAll, beside))
    run.say(`${group} is through`)
  }
  for (const group of originGroups) {
    const cases = hostileOrigins.filter((one) => one.group === group && (run.isLong || !one.isLong))
    const ask = cases.map((origin) => () => askOrigin(stage, caller, origin))
    // One by one first, to see what a single one of them takes.
    if (group === 'bombs') {
      for (const one of ask.slice(0, 5)) await measure('one bomb', () => atOnce([one]))
    }
    await measure(group, () => atOnce(ask))
  }
  const told = { service, caller, pages }
  const tell = hostileReceivers.map((receiver) => () => tellReceiver(stage, told, receiver))
  await measure('receivers', () => atOnce(tell))
  return { groups, unprintable: await listUnprintable(service) }
}

const atOnce = (asks: (() => Promise<Seen>)[]): Promise<Seen[]> =>
  Promise.all(asks.map((ask) => ask()))

async function measureGroup(
  service: FaultService,
  group: string,
  tellAll: () => Promise<Seen[]>,
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

/** Since it was read last: the service forgets its delays when it has told them. */
async function readLoop({ url }: FaultService): Promise<GroupReport['loopMs']> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const read = (name: string) =>
    1_000 *
    Number(new RegExp(`^trawl_nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)?.[1])
  return { p99: read('p99'), max: read('max') }
}
