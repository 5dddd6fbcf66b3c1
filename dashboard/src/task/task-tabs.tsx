import './task.css'
import type { TargetResponse, TaskDetails } from '@trawl/sdk'
import type { ReactNode } from 'react'
import { Tabs } from '../parts/tabs.tsx'
import { nextStep } from '../tasks/task-failures.ts'
import { AttemptsTab, ConsoleTab, DeliveriesTab, HeadersTab } from './record-tabs.tsx'
import { JsonTab, PreviewTab, ScreenshotTab, TextTab } from './result-tabs.tsx'
import { missingNotes, type TabName, tabNames } from './tab-names.ts'
import { PageNetwork } from './time-picture.tsx'

/** Why a task failed, and what to do about it. */
export const TaskFailureNote = ({ failure }: { failure: NonNullable<TaskDetails['error']> }) => (
  <section className="failure long-text" aria-label="Failure">
    <p>
      <strong>{failure.code}</strong>: {failure.message}
    </p>
    <p>{nextStep(failure)}</p>
  </section>
)

/** What a task has, and how to get what it does not have. */
export function TaskTabs(props: { task: TaskDetails; response: TargetResponse | undefined }) {
  const { task, response } = props
  const names = tabNames(task, response)
  const notes = missingNotes(task, response)
  if (names.length === 0) return null
  return (
    <>
      <Tabs
        label="Parts of the task"
        tabs={Object.fromEntries(names.map((name) => [name, contentOf(name, task, response)]))}
      />
      {notes.length > 0 && (
        <ul className="soft small bullets">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  )
}

type Content = (task: TaskDetails, response: TargetResponse) => ReactNode

const contents: Record<Exclude<TabName, 'Attempts' | 'Deliveries'>, Content> = {
  Preview: ({ id }, response) => <PreviewTab id={id} response={response} />,
  Markdown: (task) => <TextTab task={task} format="markdown" />,
  HTML: (task) => <TextTab task={task} format="html" />,
  JSON: (task) => <JsonTab task={task} />,
  Screenshot: ({ id }, response) => <ScreenshotTab id={id} response={response} />,
  Headers: (_task, response) => <HeadersTab response={response} />,
  Requests: (_task, { requests }) => <PageNetwork requests={requests ?? []} />,
  Console: (_task, response) => <ConsoleTab messages={response.console ?? []} />,
}

function contentOf(name: TabName, task: TaskDetails, response?: TargetResponse): ReactNode {
  if (name === 'Attempts') return <AttemptsTab attempts={task.attempt_log} />
  if (name === 'Deliveries') return <DeliveriesTab task={task} />
  return response && contents[name](task, response)
}
