export interface Series {
  name: string
  points: [x: number, y: number][]
}

const width = 560
const height = 260
const margin = { left: 52, right: 150, top: 16, bottom: 40 }
const colours = ['#0b6bcb', '#c2410c', '#6d28d9', '#047857']

/** A small line chart as SVG that reads in light and dark: the horizontal axis is logarithmic, the vertical one begins at 0. */
export function drawPlot({ xTitle, series }: { xTitle: string; series: Series[] }): string {
  const points = series.flatMap((one) => one.points)
  const logs = points.map(([x]) => Math.log10(x))
  const [from, to] = [Math.min(...logs), Math.max(...logs)]
  const top = niceAbove(Math.max(...points.map(([, y]) => y)))
  const xOf = (x: number) =>
    round(
      margin.left + ((Math.log10(x) - from) / (to - from)) * (width - margin.left - margin.right),
    )
  const yOf = (y: number) =>
    round(height - margin.bottom - (y / top) * (height - margin.top - margin.bottom))

  const labelYs = spread(series.map((one) => yOf(one.points.at(-1)?.[1] ?? 0)))
  const levels = [0, 0.25, 0.5, 0.75, 1].map((share) => share * top)
  const bottom = yOf(0)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#737373">
${levels.map((y) => `<path d="M${margin.left} ${yOf(y)}H${width - margin.right}" stroke="#a3a3a3" stroke-opacity=".35"/><text x="${margin.left - 8}" y="${yOf(y) + 4}" text-anchor="end">${format(y)}</text>`).join('\n')}
${[...new Set(points.map(([x]) => x))].map((x) => `<text x="${xOf(x)}" y="${bottom + 18}" text-anchor="middle">${format(x)}</text>`).join('\n')}
<text x="${(margin.left + width - margin.right) / 2}" y="${height - 6}" text-anchor="middle">${xTitle}</text>
${series.map((one, at) => drawLine(one, colours[at % colours.length] ?? '', labelYs[at] ?? 0)).join('\n')}
</svg>
`

  function drawLine({ name, points: line }: Series, colour: string, labelY: number): string {
    const path = line.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${xOf(x)} ${yOf(y)}`).join('')
    const dots = line.map(
      ([x, y]) => `<circle cx="${xOf(x)}" cy="${yOf(y)}" r="3" fill="${colour}"/>`,
    )
    const [x] = line.at(-1) ?? [1]
    return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}<text x="${xOf(x) + 8}" y="${labelY + 4}" fill="${colour}">${name}</text>`
  }
}

/** Moves labels apart that would cover each other. */
function spread(ys: readonly number[]): number[] {
  const placed = [...ys]
  const order = [...ys.keys()].sort((one, other) => (ys[one] ?? 0) - (ys[other] ?? 0))
  order.forEach((at, place) => {
    const above = placed[order[place - 1] ?? -1] ?? Number.NEGATIVE_INFINITY
    placed[at] = Math.max(placed[at] ?? 0, above + 14)
  })
  return placed
}

const round = (value: number): number => Math.round(value * 10) / 10

const format = (value: number): string => value.toLocaleString('en').replaceAll(',', ' ')

/** The next of 1, 2 or 4 times a power of ten, so that a quarter of it is a round number. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 10].find((factor) => factor * power >= value) ?? 10) * power
}
