/** One figure beside its baseline, both from the same run; a machine's mood cancels out in the ratio. */
export interface BenchRow {
  measure: string
  value: number
  baselineName: string
  baseline: number
  ratio: number
}

/** A figure that stands by itself, such as a time, beside what we want of it. */
export interface BenchFact {
  measure: string
  figure: string
  wanted: string
}

/** The middle value: a single odd burst changes nothing. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

/** Bursts of both sides in turn, so that neither has the machine's better minutes to itself. */
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
