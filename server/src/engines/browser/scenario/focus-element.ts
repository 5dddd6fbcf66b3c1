import { elementScript, pollPage } from './poll-page.ts'
import { requireEnabled } from './reach-element.ts'
import type { Step } from './step.ts'

/** Focuses the element, with the caret after its text. */
export async function focusElement(
  step: Step,
  selector: string,
  { mustBeWritable }: { mustBeWritable: boolean },
): Promise<void> {
  const script = elementScript(
    selector,
    `${requireEnabled}${mustBeWritable ? requireWritable : ''}${takeFocus} return { found: true }`,
  )
  await pollPage<true>(step, script)
}

export const requireWritable = `
  if (element.readOnly) return { obstacle: name + ' is read-only' }
`

/** An element with the focus keeps its caret. The body has the focus when nothing else does. */
export const takeFocus = `
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
