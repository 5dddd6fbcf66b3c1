import { type KeyboardEvent, type ReactNode, type SyntheticEvent, useEffect, useRef } from 'react'
import { Button, Select } from '../parts/controls.tsx'
import type { Drafts } from './option-drafts.ts'
import { ChangedOptions, OptionGroups } from './option-groups.tsx'
import { OptionRow } from './option-row.tsx'
import { type PlaygroundOperation, playgroundOperations } from './playground-request.ts'
import type { FormControl } from './use-form-state.ts'
import type { Run } from './use-run.ts'

/** What to ask for: the page first, then every option. Enter runs it. */
export function PlaygroundForm(props: {
  state: FormControl
  faults: Drafts
  /** Another one each time that the faults have to be looked at. */
  attention: object
  run: Run
  onRun: () => void
  children: ReactNode
}) {
  const { state, faults, run, onRun } = props
  const { form, change } = state
  const element = useRef<HTMLFormElement>(null)
  useFirstFocus(element)
  useFocusOnFault(element, props.attention)
  // React passes on what happens in a dialog of this form, which lies elsewhere in the page.
  const isOwn = (event: SyntheticEvent) => element.current?.contains(event.target as Node)
  const submit = (event: SyntheticEvent) => {
    if (!isOwn(event)) return
    event.preventDefault()
    if (!run.isRunning) onRun()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
  }
  return (
    <form
      className="stack playground-form"
      aria-label="Request"
      ref={element}
      onSubmit={submit}
      onKeyDown={onKeyDown}
      noValidate
    >
      {form.fields
        .filter(({ isRequired }) => isRequired)
        .map((field) => (
          <OptionRow
            key={field.key}
            field={field}
            draft={form.drafts[field.key] ?? ''}
            isChanged={false}
            fault={faults[field.key]}
            onChange={change}
          />
        ))}
      <Select
        label="Operation"
        options={operationNames}
        value={form.operation}
        onChange={({ target }) => state.choose(target.value as PlaygroundOperation)}
      />
      <div className="row">
        <Button type="submit" kind="main" disabled={run.isRunning}>
          Run
        </Button>
        {run.isRunning && (
          <Button onClick={run.cancel} aria-keyshortcuts="Escape">
            Cancel
          </Button>
        )}
        {props.children}
      </div>
      {form.notice !== undefined && (
        <p role="alert" className="notice">
          {form.notice}
        </p>
      )}
      <ChangedOptions fields={form.fields} drafts={form.drafts} onReset={state.reset} />
      <OptionGroups
        key={form.operation}
        fields={form.fields}
        drafts={form.drafts}
        faults={faults}
        onChange={change}
      />
    </form>
  )
}

const operationNames = Object.fromEntries(
  Object.entries(playgroundOperations).map(([key, { name, path }]) => [key, `${name} (${path})`]),
)

const firstField = '.option :is(input, textarea)'

/** The page is what one begins with, unless one is in it already. */
function useFirstFocus(form: { current: HTMLFormElement | null }): void {
  useEffect(() => {
    const main = form.current?.closest('main')
    const { activeElement } = document
    if (activeElement !== main && main?.contains(activeElement)) return
    form.current?.querySelector<HTMLElement>(firstField)?.focus({ preventScroll: true })
  }, [form])
}

/** The first field that something is wrong with. */
function useFocusOnFault(form: { current: HTMLFormElement | null }, attention: object): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it says when, not what
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [form, attention])
}
