/** Pages that mean no good, each with what becomes of a visit to it. */
import { loops, storms } from './busy-pages.ts'
import type { HostilePage } from './hostile-page.ts'
import { sizes } from './large-pages.ts'
import { dialogs, journeys, places, windows } from './restless-pages.ts'

export const hostilePages: readonly HostilePage[] = [
  ...loops,
  ...dialogs,
  ...windows,
  ...journeys,
  ...places,
  ...sizes,
  ...storms,
]
