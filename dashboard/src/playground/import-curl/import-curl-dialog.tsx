import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../parts/controls.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import type { PlaygroundRequest } from '../playground-request.ts'
import { type ImportedCurl, readCurlCommand } from './read-curl-command.ts'

const shownPartsMax = 30

/** A button whose dialog makes a request of a curl command. */
export function ImportCurl({ onImport }: { onImport: (request: PlaygroundRequest) => void }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Import curl</Button>
      <Dialog title="Import a curl command" isOpen={isOpen} onClose={() => setOpen(false)}>
        <ImportForm
          onImport={(request, isComplete) => {
            onImport(request)
            // What was left out is to be read first.
            if (isComplete) setOpen(false)
          }}
        />
      </Dialog>
    </>
  )
}

function ImportForm(props: {
  onImport: (request: PlaygroundRequest, isComplete: boolean) => void
}) {
  const [command, setCommand] = useState('')
  const [imported, setImported] = useState<ImportedCurl>()
  const id = useId()

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const result = readCurlCommand(command)
    setImported(result)
    if (result.request) props.onImport(result.request, result.leftOut.length === 0)
  }

  return (
    <form className="stack" onSubmit={submit}>
      <div className="field">
        <label htmlFor={id}>curl command</label>
        <textarea
          id={id}
          rows={8}
          required
          spellCheck={false}
          autoComplete="off"
          aria-describedby={`${id}-hint`}
          value={command}
          onChange={(event) => {
            setCommand(event.target.value)
            setImported(undefined)
          }}
        />
        <span id={`${id}-hint`} className="soft small">
          A call of this service, or of any site: browsers have “Copy as cURL” in their network
          tools. Nothing is run.
        </span>
      </div>
      <ImportOutcome imported={imported} />
      <div>
        <Button kind="main" type="submit">
          Import
        </Button>
      </div>
    </form>
  )
}

function ImportOutcome({ imported }: { imported: ImportedCurl | undefined }) {
  if (imported?.fault !== undefined) {
    return (
      <p role="alert" className="fault">
        {imported.fault}
      </p>
    )
  }
  return (
    // There from the start, as what is put into a status is read out and a new status is not.
    <div role="status">
      {imported && (
        <>
          <p>Imported, but for:</p>
          <ul className="bullets">
            {imported.leftOut.slice(0, shownPartsMax).map((part) => (
              <li key={part}>{part}</li>
            ))}
            {imported.leftOut.length > shownPartsMax && (
              <li>and {imported.leftOut.length - shownPartsMax} more</li>
            )}
          </ul>
        </>
      )}
    </div>
  )
}
