import type UPlot from 'uplot'

export interface ChartLine {
  label: string
  /** The name of its colour in `tokens.css`. */
  token: string
  values: readonly (number | null)[]
  /** Told apart without colours, too. */
  dash?: readonly number[]
}

/** In a stack the lines that end higher are drawn first, behind the others. */
export const linesInOrder = (lines: readonly ChartLine[], isStacked: boolean) =>
  isStacked ? lines.toReversed() : lines

/** Seconds and values as uPlot takes them, in the order of drawing; stacked lines become sums. */
export function chartData(
  times: readonly (string | number)[],
  lines: readonly ChartLine[],
  isStacked: boolean,
): UPlot.AlignedData {
  const seconds = times.map((time) => new Date(time).getTime() / 1_000)
  if (!isStacked) return [seconds, ...lines.map(({ values }) => [...values])]
  const sums = times.map(() => 0)
  const stacked = lines.map(({ values }) => {
    values.forEach((value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0)
    })
    return [...sums]
  })
  return [seconds, ...stacked.reverse()]
}
