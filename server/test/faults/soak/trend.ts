/** Whether a series of samples grows, and a sparkline of it. */

export interface Trend {
  /** At the start, after the warm-up, which is the first third. */
  start: number
  end: number
  most: number
  /** The rise of the regression line through the samples after the warm-up. */
  rise: number
  isFlat: boolean
}

const riseShareMax = 0.15

/** Flat: the line rises by less than a seventh of the mean, or by less than `nothing`. */
export function trendOf(samples: readonly number[], nothing: number): Trend {
  const settled = samples.slice(Math.floor(samples.length / 3))
  const mean = average(settled)
  const middle = (settled.length - 1) / 2
  const slope =
    settled.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0) /
    Math.max(
      1,
      settled.reduce((sum, _, index) => sum + (index - middle) ** 2, 0),
    )
  const rise = slope * (settled.length - 1)
  return {
    start: settled[0] ?? Number.NaN,
    end: settled.at(-1) ?? Number.NaN,
    most: Math.max(...samples),
    rise,
    isFlat: rise < Math.max(mean * riseShareMax, nothing),
  }
}

const bars = '▁▂▃▄▅▆▇█'
const barsMax = 40

/** A bar chart from zero to the maximum, in at most forty characters. */
export function sparkline(samples: readonly number[]): string {
  const perBar = Math.max(1, samples.length / barsMax)
  const most = Math.max(...samples, 1)
  const count = Math.ceil(samples.length / perBar)
  return Array.from({ length: count }, (_, index) => {
    const value = average(
      samples.slice(Math.floor(index * perBar), Math.ceil((index + 1) * perBar)),
    )
    return bars[Math.min(bars.length - 1, Math.floor((value / most) * bars.length))]
  }).join('')
}

const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
