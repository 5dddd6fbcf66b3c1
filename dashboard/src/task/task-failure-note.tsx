import './task.css'
import type { TaskDetails } from '@trawl/sdk'
import { nextStep } from '../tasks/task-failures.ts'

/** Why a task failed, and what to do about it. */
export function TaskFailureNote({ failure }: { failure: NonNullable<TaskDetails['error']> }) {
  return (
    <section className="failure long-text" aria-label="Failure">
      <p>
        <strong>{failure.code}</strong>: {failure.message}
      </p>
      <p>{nextStep(failure)}</p>
    </section>
  )
}
