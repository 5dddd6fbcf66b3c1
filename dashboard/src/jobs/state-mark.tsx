import type { Job } from '@trawl/sdk'

const place = { x: 0, y: 0, radius: 0.8 }

export const stateColours: Record<Job['status'], string> = {
  completed: 'var(--series-1)',
  failed: 'var(--series-2)',
  processing: 'var(--series-5)',
  queued: 'var(--line-strong)',
  cancelled: 'var(--series-6)',
}

/** The state of a page in one sign; the word stands beside it. */
export const StateMark = ({ status }: { status: Job['status'] }) => (
  <svg className="state-mark" viewBox="-1.2 -1.2 2.4 2.4" aria-hidden="true">
    <path
      d={stateShape(status, place)}
      stroke={stateColours[status]}
      fill={status === 'completed' ? stateColours[status] : 'none'}
    />
  </svg>
)

interface Place {
  x: number
  y: number
  radius: number
}

/** States are told apart without colour too: a disc, a cross, a ring with a dot, a ring, a dash. */
const shapes: Record<Job['status'], (place: Place) => string> = {
  completed: ring,
  failed: ({ x, y, radius: r }) =>
    stroke(x - r, y - r, 2 * r, 2 * r) + stroke(x - r, y + r, 2 * r, -2 * r),
  processing: (place) => ring(place) + ring({ ...place, radius: place.radius / 4 }),
  queued: ring,
  cancelled: ({ x, y, radius: r }) => stroke(x - r, y, 2 * r, 0),
}

/** The path of a page's mark, in an SVG. */
export const stateShape = (status: Job['status'], place: Place): string => shapes[status](place)

function ring({ x, y, radius }: Place): string {
  const half = (width: number) => `a${radius} ${radius} 0 1 0 ${width} 0`
  return `M${x - radius} ${y}${half(2 * radius)}${half(-2 * radius)}z`
}

const stroke = (x: number, y: number, right: number, down: number): string =>
  `M${x} ${y}l${right} ${down}`
