import type { TaskSummary } from '@trawl/sdk'
import { trawl } from '../client.ts'
import { isEnded } from './task-status.tsx'

/** What can be done with many tasks at once. */
export const bulkActions = {
  retry: {
    name: 'Retry',
    done: 'retried',
    consequence: 'Each that has ended runs again as a new task, with its callback.',
    fits: ({ status, kind }: TaskSummary) => isEnded(status) && kind !== 'map',
    act: (id: string) => trawl.tasks.retry(id),
  },
  cancel: {
    name: 'Cancel',
    done: 'cancelled',
    consequence: 'Each that has not ended is cancelled and sends no callback.',
    fits: ({ status }: TaskSummary) => !isEnded(status),
    act: (id: string) => trawl.tasks.cancel(id),
  },
} as const

export type BulkActionName = keyof typeof bulkActions
