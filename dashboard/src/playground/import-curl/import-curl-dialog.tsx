import { Field } from '../../parts/controls.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import type { PlaygroundRequest } from '../playground-request.ts'
import { readCurlCommand } from './read-curl-command.ts'

const shownPartsMax = 30

export function ImportCurl({ onImport }: { onImport: (request: PlaygroundRequest) => void }) {
  const read = async (fields: FormData) => {
    const { request, leftOut, fault } = readCurlCommand(String(fields.get('command')))
    if (fault !== undefined) throw new Error(fault)
    onImport(request)
    // What was left out is to be read before the dialog closes.
    return leftOut.length === 0 ? undefined : { said: <LeftOut parts={leftOut} /> }
  }
  return (
    <FormDialog name="Import curl" title="Import a curl command" action="Import" act={read}>
      <Field
        label="curl command"
        name="command"
        rows={8}
        autoComplete="off"
        hint="A call of this service, or of any site: browsers have “Copy as cURL” in their network tools. Nothing is run."
      />
    </FormDialog>
  )
}

const LeftOut = ({ parts }: { parts: readonly string[] }) => (
  <>
    <p>Imported, but for:</p>
    <ul className="bullets">
      {parts.slice(0, shownPartsMax).map((part) => (
        <li key={part}>{part}</li>
      ))}
      {parts.length > shownPartsMax && <li>and {parts.length - shownPartsMax} more</li>}
    </ul>
  </>
)
