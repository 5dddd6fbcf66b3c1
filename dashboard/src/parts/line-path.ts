/** The `d` of an SVG path through values from zero up; null leaves a gap, a value between two is a dot. */
export function linePath(
  values: readonly (number | null)[],
  { width, height }: { width: number; height: number },
): string {
  const valueMax = Math.max(...values.map((value) => value ?? 0), 0) || 1
  const stepWidth = values.length > 1 ? width / (values.length - 1) : 0
  let isOpen = false
  return values
    .map((value, index) => {
      const command = isOpen ? 'L' : 'M'
      isOpen = value !== null
      if (value === null) return ''
      // A pixel stays free on both sides for the width of the line.
      const y = height - 1 - (value / valueMax) * (height - 2)
      const isAlone = command === 'M' && (values[index + 1] ?? null) === null
      return `${command}${round(index * stepWidth)} ${round(y)}${isAlone ? 'h0' : ''}`
    })
    .join('')
}

const round = (value: number): number => Math.round(value * 100) / 100
