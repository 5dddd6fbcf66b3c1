import './task.css'
import type { TargetResponse, TaskDetails } from '@trawl/sdk'
import type { ReactNode } from 'react'
import { Tabs } from '../parts/tabs.tsx'
import { PageNetwork } from './page-network.tsx'
import { AttemptsTab, ConsoleTab, DeliveriesTab, HeadersTab } from './record-tabs.tsx'
import { JsonTab, PreviewTab, ScreenshotTab, TextTab } from './result-tabs.tsx'
import { missingNotes, type TabName, tabNames } from './tab-names.ts'

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
        tabs={names.map((name) => ({ name, content: contentOf(name, task, response) }))}
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

function contentOf(
  name: TabName,
  task: TaskDetails,
  response: TargetResponse | undefined,
): ReactNode {
  if (name === 'Attempts') return <AttemptsTab attempts={task.attempt_log} />
  if (name === 'Deliveries') return <DeliveriesTab task={task} />
  if (!response) return null
  switch (name) {
    case 'Preview':
      return <PreviewTab id={task.id} response={response} />
    case 'Markdown':
      return <TextTab task={task} format="markdown" />
    case 'HTML':
      return <TextTab task={task} format="html" />
    case 'JSON':
      return <JsonTab task={task} />
    case 'Screenshot':
      return <ScreenshotTab id={task.id} response={response} />
    case 'Headers':
      return <HeadersTab response={response} />
    case 'Requests':
      return <PageNetwork requests={response.requests ?? []} />
    case 'Console':
      return <ConsoleTab messages={response.console ?? []} />
  }
}
