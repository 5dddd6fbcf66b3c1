import type { ChildProcess } from 'node:child_process'
import { median } from './bench-row.ts'
import { cpuMsOf } from './cpu-time.ts'

/** Who does the work of a row: a program that is measured, or its baseline. */
export interface Side {
  name: string
  /** Whose processor time counts, unless the burst tells its own. */
  child?: ChildProcess
  burst(): Promise<Burst>
}

export interface Burst {
  perSecond: number
  /** All that were done, also while it warmed up: what its processor time is divided by. */
  total: number
  cpuMs?: number
}

export interface SidesRow {
  measure: string
  wanted: string
  sides: { name: string; perSecond: number; cpuMs: number; ratio: number }[]
}

/** Alternates bursts of all sides; the ratios are to the first one, burst by burst. */
export async function compareSides(
  { measure, wanted }: { measure: string; wanted: string },
  sides: readonly [Side, ...Side[]],
  rounds: number,
): Promise<SidesRow> {
  const bursts = sides.map((): Required<Burst>[] => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, side] of sides.entries()) bursts[at]?.push(await timed(side))
  }
  const baseline = bursts[0] ?? []
  return {
    measure,
    wanted,
    sides: sides.map(({ name }, at) => {
      const own = bursts[at] ?? []
      const ratios = own.map(
        ({ perSecond }, round) => perSecond / (baseline[round]?.perSecond ?? 0),
      )
      return {
        name,
        perSecond: median(own.map(({ perSecond }) => perSecond)),
        cpuMs: median(own.map(({ cpuMs, total }) => cpuMs / total)),
        ratio: median(ratios),
      }
    }),
  }
}

async function timed({ child, burst }: Side): Promise<Required<Burst>> {
  const pid = child?.pid
  const usedMs = () => (pid === undefined ? 0 : cpuMsOf(pid))
  const beforeMs = usedMs()
  const done = await burst()
  return { ...done, cpuMs: done.cpuMs ?? usedMs() - beforeMs }
}
