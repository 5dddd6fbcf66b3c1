import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { type ReactNode, useRef } from 'react'

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
