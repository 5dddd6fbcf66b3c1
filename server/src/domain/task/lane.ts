/** The engines that fetch pages; each has a lane of its name, in which its tasks are worked on. */
export const taskLanes = ['http', 'browser'] as const
export type TaskLane = (typeof taskLanes)[number]

/** What a worker claims from. A full lane never delays the others. */
export const lanes = [...taskLanes, 'delivery'] as const
export type Lane = (typeof lanes)[number]
