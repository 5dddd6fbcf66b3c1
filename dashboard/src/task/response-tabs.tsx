import type { TargetResponse } from '@trawl/sdk'
import { DataTable } from '../parts/data-table.tsx'
import { momentText } from '../parts/moment-text.ts'

const text = (value: string) => <span className="long-text">{value}</span>

/** Headers and cookies as the target sent them. */
export function HeadersTab({ response }: { response: TargetResponse }) {
  return (
    <div className="stack">
      <DataTable
        label="Response headers"
        rows={Object.entries(response.headers)}
        keyOf={([name]) => name}
        columns={[
          { name: 'Header', cell: ([name]) => text(name) },
          { name: 'Value', cell: ([, value]) => text(value) },
        ]}
      />
      {response.cookies.length > 0 && (
        <DataTable
          label="Cookies"
          rows={response.cookies}
          keyOf={({ name, domain, path }) => `${name} ${domain} ${path}`}
          columns={[
            { name: 'Cookie', cell: ({ name }) => text(name) },
            { name: 'Value', cell: ({ value }) => text(value) },
            { name: 'Domain and path', cell: ({ domain, path }) => text(`${domain}${path}`) },
            {
              name: 'Expires',
              cell: ({ expires }) => (expires ? momentText(expires) : 'with the session'),
            },
          ]}
        />
      )}
    </div>
  )
}

/** What the page wrote to its console. */
export function ConsoleTab({ messages }: { messages: NonNullable<TargetResponse['console']> }) {
  return (
    <DataTable
      label="Console"
      rows={messages.map((message, index) => ({ ...message, index }))}
      keyOf={({ index }) => String(index)}
      columns={[
        { name: 'Level', cell: ({ level }) => level },
        { name: 'Message', cell: (message) => <pre className="console-text">{message.text}</pre> },
      ]}
    />
  )
}
