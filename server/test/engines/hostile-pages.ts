/** Pages that mean no good, each with what becomes of a visit to it. */
import { loops, storms } from './hostile/busy-pages.ts'
import type { HostilePage } from './hostile/hostile-page.ts'
import { sizes } from './hostile/large-pages.ts'
import { dialogs, journeys, places, windows } from './hostile/restless-pages.ts'

export const hostilePages: readonly HostilePage[] = [
  ...loops,
  ...dialogs,
  ...windows,
  ...journeys,
  ...places,
  ...sizes,
  ...storms,
]
