import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { onThemeChange } from '../shell/theme.ts'
import { type ChartLine, chartData, linesInOrder } from './chart-data.ts'
import { chartOptions } from './chart-options.ts'
import { type Column, FigureWithTable } from './data-table.tsx'
import { timeText } from './value-text.ts'

export interface ChartProps {
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
