import './playground.css'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { trawl } from '../client.ts'
import { Button } from '../parts/controls.tsx'
import { Loaded, Panel } from '../parts/panel.tsx'
import { CodeTabs } from './code/code-tabs.tsx'
import { fieldFaultsOf } from './field-faults.ts'
import type { FormState } from './form-state.ts'
import { ImportCurl } from './import-curl/import-curl-dialog.tsx'
import { SchemaBook } from './json-schema.ts'
import type { DraftedBody, Drafts } from './option-drafts.ts'
import { PlaygroundForm } from './playground-form.tsx'
import type { PlaygroundRequest } from './playground-request.ts'
import { RunResult } from './run-result.tsx'
import { toSharedRequest } from './share-link.ts'
import { addressOf, useFormState } from './use-form-state.ts'
import { type Run, useRun } from './use-run.ts'

export const PlaygroundPage = () => (
  <Loaded query={useQuery(apiDescriptionQuery)}>{(book) => <Playground book={book} />}</Loaded>
)

/** A request to build on the left, what comes of it beside, and the same request as code. */
function Playground({ book }: { book: SchemaBook }) {
  const state = useFormState(book)
  const { form, drafted } = state
  const run = useRun()
  const { faults, attention, check } = useFaults(form, drafted, run)
  const result = useRef<HTMLDivElement>(null)
  useSight(result, run.isRunning)
  const request = useMemo(
    () => ({ operation: form.operation, body: drafted.body }),
    [form.operation, drafted.body],
  )
  const start = () => {
    if (check()) run.start(request)
  }
  return (
    <div className="playground">
      <PlaygroundForm state={state} faults={faults} attention={attention} run={run} onRun={start}>
        <ImportCurl onImport={state.take} />
        <ShareButton request={request} />
      </PlaygroundForm>
      <div className="playground-side">
        <div className="playground-pane" ref={result}>
          <Panel title="Result">
            <RunResult run={run} />
          </Panel>
        </div>
        <div className="playground-pane">
          <Panel title="Code">
            <CodeTabs request={request} serverUrl={window.location.origin} />
          </Panel>
        </div>
      </div>
    </div>
  )
}

/**
 * What is wrong with the form: what one sees while one types, what is missing once one has tried to run it,
 * and what the service said about a field until that is changed.
 */
function useFaults(form: FormState, drafted: DraftedBody, run: Run) {
  const [tried, setTried] = useState<FormState>()
  const [checks, setChecks] = useState(0)
  const refused = useMemo(
    () => (run.error ? fieldFaultsOf(form.fields, run.error) : {}),
    [run.error, form.fields],
  )
  const isTried = tried?.operation === form.operation
  const faults = useMemo(() => {
    const shown: Record<string, string> = {}
    for (const { key } of form.fields) {
      const isMissing = (form.drafts[key] ?? '') === ''
      const isRefused = tried?.drafts[key] === form.drafts[key] && isTried
      const fault =
        (isMissing && !isTried ? undefined : drafted.faults[key]) ??
        (isRefused ? refused[key] : undefined)
      if (fault !== undefined) shown[key] = fault
    }
    return shown satisfies Drafts
  }, [form, drafted, refused, tried, isTried])
  const check = () => {
    setTried(form)
    const isRight = Object.keys(drafted.faults).length === 0
    if (!isRight) setChecks((count) => count + 1)
    return isRight
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: another object for each of them
  const attention = useMemo(() => ({}), [checks, run.error])
  return { faults, attention, check }
}

/** On a small screen the result is far below; a run brings it into sight. */
function useSight(element: { current: HTMLElement | null }, isWanted: boolean): void {
  useEffect(() => {
    const place = element.current?.getBoundingClientRect()
    if (isWanted && place && place.top > window.innerHeight) element.current?.scrollIntoView()
  }, [element, isWanted])
}

/** The service describes itself; it does so in another way only after a restart. */
const apiDescriptionQuery = queryOptions({
  queryKey: ['api-description'],
  queryFn: async ({ signal }) => new SchemaBook(await trawl.service.getOpenapi({ signal })),
  staleTime: 'static',
  gcTime: Number.POSITIVE_INFINITY,
})

/** Copies an address that fills the form, and says what is not in it. */
function ShareButton({ request }: { request: PlaygroundRequest }) {
  const [made, setMade] = useState<{ address: string | undefined; outcome: string }>()
  const share = () => {
    const shared = toSharedRequest(request)
    const address = addressOf(shared.request)
    const missing = shared.leftOut.length > 0 ? ` Left out: ${shared.leftOut.join(', ')}.` : ''
    const say = (outcome: string) => setMade({ address, outcome: outcome + missing })
    if (address === undefined) return say('The request is too long for a link.')
    navigator.clipboard.writeText(address).then(
      () => say('Copied.'),
      () => say('The browser did not allow to copy it: select it here.'),
    )
  }
  return (
    <>
      <Button onClick={share}>Copy link</Button>
      {made?.address !== undefined && (
        <input
          className="made-link"
          aria-label="Link"
          readOnly
          value={made.address}
          onFocus={({ currentTarget }) => currentTarget.select()}
          // It is in the form, which Enter would run.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      )}
      <span role="status" className="soft small">
        {made?.outcome}
      </span>
    </>
  )
}
