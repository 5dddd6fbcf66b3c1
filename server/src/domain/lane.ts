/** What a worker claims from. A full lane never delays the others. */
export type Lane = TaskLane | 'delivery'

/** Where tasks are worked on: each lane has the engine of its name. */
export type TaskLane = 'http' | 'browser'
