import { atElement, lookFor } from './look.ts'
import { enabled } from './reach-element.ts'
import type { Step } from './step.ts'

/** Gives the element the focus, with the caret behind what is written there. */
export async function focusElement(
  step: Step,
  selector: string,
  { isWritten }: { isWritten: boolean },
): Promise<void> {
  const script = atElement(
    selector,
    `${enabled}${isWritten ? writable : ''}${focused} return { found: true }`,
  )
  await lookFor<true>(step, script)
}

export const writable = `
  if (element.readOnly) return { obstacle: name + ' is read-only' }
`

/** Whoever has the focus already keeps its caret. The body has the focus when nothing else has it. */
export const focused = `
  const isBody = element === document.body || element === document.documentElement
  const hasFocus = () =>
    isBody ? document.activeElement === document.body : element.contains(document.activeElement)
  if (!hasFocus()) {
    if (isBody) document.activeElement?.blur()
    else element.focus()
    if (!hasFocus()) return { obstacle: name + ' does not take the focus' }
    if (!isBody) getSelection()?.modify('move', 'forward', 'documentboundary')
  }
`
