import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from './controls.tsx'

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

/** A button for what cannot be taken back: it says what will happen, and does it once that is confirmed. */
export function ConfirmedAction(props: {
  name: string
  /** What of many it is about, for who cannot see where the button stands. */
  about?: string
  /** What will happen. */
  children: ReactNode
  act: () => Promise<unknown>
  disabled?: boolean
  'aria-describedby'?: string
}) {
  const { name, about, children, act } = props
  const [isOpen, setOpen] = useState(false)
  const acting = useMutation({ mutationFn: act, onSuccess: () => setOpen(false) })
  useEffect(() => keepFocusOnPage, [])
  const open = () => {
    acting.reset()
    setOpen(true)
  }
  return (
    <>
      <Button onClick={open} disabled={props.disabled} aria-describedby={props['aria-describedby']}>
        {name}
        {about !== undefined && <span className="hidden-text"> {about}</span>}
      </Button>
      <Dialog title={`${name}?`} isOpen={isOpen} onClose={() => setOpen(false)}>
        {children}
        {acting.error && (
          <p role="alert" className="fault">
            {acting.error.message}
          </p>
        )}
        <div>
          <Button kind="main" disabled={acting.isPending} onClick={() => acting.mutate()}>
            {name}
          </Button>
        </div>
      </Dialog>
    </>
  )
}

/** A button that leaves with the row that it removed would take the focus to the start of the document. */
function keepFocusOnPage(): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return
    document.getElementById('content')?.focus({ preventScroll: true })
  })
}
