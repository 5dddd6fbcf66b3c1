import {
  type Dispatch,
  type SetStateAction,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { trawl } from '../client.ts'
import {
  type FormState,
  formOfHash,
  formOfOperation,
  formOfRequest,
  operationOfPath,
  withDraft,
  withoutDrafts,
} from './form-state.ts'
import type { SchemaBook } from './json-schema.ts'
import { draftedBody } from './option-drafts.ts'
import type { PlaygroundOperation, PlaygroundRequest } from './playground-request.ts'
import { toHash, toSharedRequest } from './share-link.ts'

// While somebody types, not every letter is written into the address.
const pauseMs = 400

export type FormControl = ReturnType<typeof useFormState>

/** The form and the address: each follows the other, so that a reload keeps what may be in an address. */
export function useFormState(book: SchemaBook) {
  const [form, setForm] = useState<FormState>(() => formOfHash(book, window.location.hash))
  const drafted = useMemo(() => draftedBody(form.fields, form.drafts), [form.fields, form.drafts])
  useRequestOfTask(book, setForm)
  useHashAsForm(book, setForm)
  useFormAsHash(form.operation, drafted.body)
  return {
    form,
    drafted,
    change: useCallback(
      (key: string, draft: string) => setForm((at) => withDraft(at, key, draft)),
      [],
    ),
    reset: (keys: readonly string[]) => setForm(withoutDrafts(form, keys)),
    choose: (operation: PlaygroundOperation) =>
      setForm(formOfOperation(book, operation, form.drafts)),
    take: (request: PlaygroundRequest) => setForm(formOfRequest(book, request)),
  }
}

/** Fills the form with the request of a task, which is read from the service. */
function useRequestOfTask(book: SchemaBook, setForm: Dispatch<SetStateAction<FormState>>): void {
  useEffect(() => {
    const id = new URLSearchParams(window.location.search).get('task')
    if (id === null) return
    const stopping = new AbortController()
    const say = (notice: string) => setForm((form) => ({ ...form, notice }))
    trawl.tasks
      .get(id, { signal: stopping.signal })
      .then(({ request }) => {
        const operation = request && operationOfPath(request.path)
        if (!operation) return say('The request of this task cannot be read.')
        setForm(formOfRequest(book, { operation, body: request.body }, request.left_out))
      })
      .catch((error: Error) => {
        if (!stopping.signal.aborted) say(`The request of this task was not read: ${error.message}`)
      })
    return () => stopping.abort()
  }, [book, setForm])
}

/** A link that is opened in this tab fills the form. */
function useHashAsForm(book: SchemaBook, setForm: (form: FormState) => void): void {
  useEffect(() => {
    const onHash = () => {
      if (/^#[a-z]+=/.test(window.location.hash)) setForm(formOfHash(book, window.location.hash))
    }
    window.addEventListener('hashchange', onHash)
    return () => window.removeEventListener('hashchange', onHash)
  }, [book, setForm])
}

/** Writes what may be in an address into that of this tab, once something was changed. */
function useFormAsHash(operation: PlaygroundOperation, body: PlaygroundRequest['body']): void {
  const first = useRef(body)
  useEffect(() => {
    if (body === first.current) return
    const timer = setTimeout(() => {
      const { request } = toSharedRequest({ operation, body })
      const address = addressOf(request) ?? window.location.pathname
      window.history.replaceState(window.history.state, '', address)
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [operation, body])
}

/** The address of this page with a request in it; undefined where it would be too long. */
export function addressOf(request: PlaygroundRequest): string | undefined {
  const hash = toHash(request)
  return hash && window.location.origin + window.location.pathname + hash
}
