/** A figure and its baseline from the same run, so that the speed of the machine cancels out. */
export interface BenchRow {
  measure: string
  value: number
  baselineName: string
  baseline: number
  ratio: number
}

/** A figure without a baseline, such as a time, with its target. */
export interface BenchFact {
  measure: string
  figure: string
  wanted: string
}

/** The median: a single outlier changes nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

/** Alternates bursts of both sides, so that both see the same machine. */
export async function compare(
  names: { measure: string; baselineName: string },
  sides: { ours: () => Promise<number>; bare: () => Promise<number> },
  rounds = 15,
): Promise<BenchRow> {
  const ours: number[] = []
  const bare: number[] = []
  for (let round = 0; round < rounds; round++) {
    bare.push(await sides.bare())
    ours.push(await sides.ours())
  }
  const ratios = ours.map((value, round) => value / (bare[round] ?? Number.NaN))
  return { ...names, value: median(ours), baseline: median(bare), ratio: median(ratios) }
}
