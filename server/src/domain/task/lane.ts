/** The engines that fetch pages; the tasks of each are queued in the lane of its name. */
export const taskLanes = ['http', 'browser'] as const
export type TaskLane = (typeof taskLanes)[number]

/** A queue that workers claim from. A full lane never delays the others. */
export const lanes = [...taskLanes, 'delivery'] as const
export type Lane = (typeof lanes)[number]
