import { linePath } from './line-path.ts'

/** The course of a number, without axes; the number itself stands beside it. */
export function Sparkline({ values }: { values: readonly (number | null)[] }) {
  return (
    <svg className="sparkline" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      <path d={linePath(values, { width: 100, height: 24 })} vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
