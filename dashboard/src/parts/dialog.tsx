import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Button, type ButtonProps, Fault } from './controls.tsx'

export function Dialog(props: {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
}) {
  const popup = useRef<HTMLDivElement>(null)

  // Base UI moves the focus a frame after it has hidden the page behind. Until then the focus would be
  // in what assistive technology cannot see, and browsers complain of it.
  const moveFocusIn = () => {
    popup.current?.focus({ preventScroll: true })
    return true
  }

  return (
    <BaseDialog.Root open={props.isOpen} onOpenChange={(isOpen) => !isOpen && props.onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="dialog-backdrop" />
        <BaseDialog.Popup className="dialog" ref={popup} initialFocus={moveFocusIn}>
          <BaseDialog.Title>{props.title}</BaseDialog.Title>
          {props.children}
          <div>
            <BaseDialog.Close className="button">Close</BaseDialog.Close>
          </div>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

/** What is shown in the place of a form that was sent, or above its button. */
type Outcome = { title: string; content: ReactNode } | { said: ReactNode }

interface FormDialogProps extends Pick<ButtonProps, 'kind' | 'disabled' | 'aria-describedby'> {
  /** On the button that opens it. */
  name: string
  /** What of many it is about, for who cannot see where the button stands. */
  about?: string
  title: string
  /** On the button that sends it. */
  action: string
  /** Its fields, or what will happen. */
  children: ReactNode
  /** The dialog closes then, if there is nothing to show. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most return nothing
  act: (fields: FormData) => Promise<Outcome | void>
}

export function FormDialog(props: FormDialogProps) {
  const { name, about, title, action, children, act, ...button } = props
  const [isOpen, setOpen] = useState(false)
  // A secret may be in it, which is gone when the dialog closes; the cache of mutations would keep it.
  const [outcome, setOutcome] = useState<Outcome>()
  const acting = useMutation({
    mutationFn: async (fields: FormData) => {
      const after = await act(fields)
      if (after) setOutcome(after)
      else setOpen(false)
    },
  })
  useEffect(() => keepFocusOnPage, [])
  const change = (isNext: boolean) => {
    acting.reset()
    setOutcome(undefined)
    setOpen(isNext)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    acting.mutate(new FormData(event.currentTarget))
  }
  const shown = outcome && 'title' in outcome ? outcome : undefined
  return (
    <>
      <Button {...button} onClick={() => change(true)}>
        {name}
        {about !== undefined && <span className="hidden-text"> {about}</span>}
      </Button>
      <Dialog title={shown?.title ?? title} isOpen={isOpen} onClose={() => change(false)}>
        {shown?.content ?? (
          <form className="stack" onSubmit={submit}>
            {children}
            <Fault error={acting.error} />
            <div role="status">{outcome && 'said' in outcome && outcome.said}</div>
            <div>
              <Button type="submit" kind="main" disabled={acting.isPending}>
                {action}
              </Button>
            </div>
          </form>
        )}
      </Dialog>
    </>
  )
}

/** A button for what cannot be taken back: it says what will happen, and does it once that is confirmed. */
export const ConfirmedAction = (props: Omit<FormDialogProps, 'title' | 'action'>) => (
  <FormDialog {...props} title={`${props.name}?`} action={props.name} />
)

/** A button that leaves with the row that it removed would take the focus to the start of the document. */
function keepFocusOnPage(): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return
    document.getElementById('content')?.focus({ preventScroll: true })
  })
}
