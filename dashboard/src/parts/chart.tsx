import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { onThemeChange } from '../shell/theme.ts'
import { type ChartLine, chartData, linesInOrder } from './chart-data.ts'
import { type Column, FigureWithTable } from './data-table.tsx'
import { timeText } from './value-text.ts'

interface ChartProps {
  title: string
  /** ISO 8601 or milliseconds, in order. */
  times: readonly (string | number)[]
  lines: readonly ChartLine[]
  /** Lines lie on one another, so that their height is the sum. */
  isStacked?: boolean
  valueText: (value: number) => string
}

/** Lines or areas over time. */
export function Chart(props: ChartProps) {
  const { title, times, lines, valueText } = props
  return (
    <FigureWithTable
      title={title}
      rows={times.map((time, index) => ({ time, index })).reverse()}
      columns={[
        ['Time', ({ time }) => timeText(time)],
        ...lines.map(
          ({ label, values }): Column<{ index: number }> => [
            label,
            ({ index }) => {
              const value = values[index] ?? null
              return value === null ? '–' : valueText(value)
            },
            'end',
          ],
        ),
      ]}
    >
      <ChartCanvas {...props} />
    </FigureWithTable>
  )
}

const heightPx = 180

/** uPlot keeps its own canvas: it is made once for a set of lines, then only given other numbers. */
function ChartCanvas({ title, times, lines, isStacked = false, valueText }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(null)
  const data = chartData(times, lines, isStacked)
  const drawn = linesInOrder(lines, isStacked)
  const latest = useRef({ data, drawn, valueText })
  latest.current = { data, drawn, valueText }
  const kind = lines.map(({ label, token }) => `${label} ${token}`).join()

  // biome-ignore lint/correctness/useExhaustiveDependencies: numbers change without another canvas
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const options = chartOptions({
      lines: latest.current.drawn,
      isStacked,
      shownValue: (line, index) => latest.current.drawn[line]?.values[index],
      valueText: (value) => latest.current.valueText(value),
      size: { width: element.clientWidth, height: heightPx },
    })
    const made = new UPlot(options, latest.current.data, element)
    plot.current = made
    const resizing = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: heightPx }),
    )
    resizing.observe(element)
    const stopListening = onThemeChange(() => made.redraw())
    return () => {
      stopListening()
      resizing.disconnect()
      made.destroy()
      plot.current = null
    }
  }, [kind, isStacked])
  useEffect(() => {
    plot.current?.setData(data)
  }, [data])

  return <div ref={frame} className="chart-frame" role="img" aria-label={`${title}, drawn`} />
}

interface ChartShape {
  /** As they are drawn, those in front last. */
  lines: readonly ChartLine[]
  isStacked: boolean
  /** What the legend shows, which is not the height where lines are stacked. */
  shownValue: (line: number, index: number) => number | null | undefined
  valueText: (value: number) => string
  size: { width: number; height: number }
}

const font = '12px system-ui, sans-serif'
// Counts and milliseconds are whole.
const steps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power))

function chartOptions(shape: ChartShape): UPlot.Options {
  const { lines, isStacked, valueText, shownValue, size } = shape
  const axis: UPlot.Axis = {
    font,
    stroke: () => tokenColour('--ink-soft'),
    grid: { stroke: () => tokenColour('--line'), width: 1 },
    ticks: { stroke: () => tokenColour('--line'), width: 1 },
  }
  return {
    ...size,
    legend: { markers: markersOf(lines, isStacked) },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      { ...axis, values: (_plot, splits) => splits.map(clockText) },
      {
        ...axis,
        size: 64,
        incrs: steps.flat(),
        values: (_plot, splits) => splits.map((value) => valueText(value)),
      },
    ],
    series: [
      { label: 'Time', value: (_plot, seconds) => (seconds === null ? '–' : clockText(seconds)) },
      ...lines.map(
        (line, at): UPlot.Series => ({
          label: line.label,
          stroke: () => tokenColour(line.token),
          width: isStacked ? 0 : 1.5,
          ...(line.dash && { dash: [...line.dash] }),
          ...(isStacked ? asBars(line.token) : { points: { show: true, filter: pointsAlone } }),
          value: (_plot, _value, _series, index) => {
            const value = index === null ? undefined : shownValue(at, index)
            return value === null || value === undefined ? '–' : valueText(value)
          },
        }),
      ),
    ],
  }
}

/** By the names of the colours, so that they follow the theme by themselves. */
const markersOf = (lines: readonly ChartLine[], isStacked: boolean): UPlot.Legend.Markers => {
  const colourOf = (series: number) => `var(${lines[series - 1]?.token})`
  return {
    stroke: (_plot, series) => colourOf(series),
    fill: (_plot, series) => (isStacked ? colourOf(series) : 'transparent'),
  }
}

const clockText = (seconds: number): string => timeText(seconds * 1_000)

const asBars = (token: string): Pick<UPlot.Series, 'fill' | 'paths' | 'points'> => ({
  fill: () => tokenColour(token),
  ...(UPlot.paths.bars && { paths: UPlot.paths.bars({ size: [0.8, 16] }) }),
  points: { show: false },
})

/** A value between two gaps is on no line, so it is drawn as a point. */
const pointsAlone: UPlot.Series.Points.Filter = (plot, series) => {
  const values = plot.data[series] ?? []
  const isMissing = (index: number) => (values[index] ?? null) === null
  return [...values.keys()].filter(
    (index) => !isMissing(index) && isMissing(index - 1) && isMissing(index + 1),
  )
}

/** The colour that a token has now, for canvases, which know no custom properties. */
function tokenColour(token: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${token})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
