import { elementScript, pollPage } from './poll-page.ts'
import { type Step, sleep } from './step.ts'

/** A position in the viewport, in CSS pixels. */
export interface Point {
  x: number
  y: number
}

const frameMs = 20
// An element that keeps moving, as in a ticker, is used where it is.
const movingMsMax = 1_000

/** Scrolls to the element and returns the middle of its visible part, once it stops moving. */
export async function reachElement(
  step: Step,
  selector: string,
  { mustBeEnabled }: { mustBeEnabled: boolean },
): Promise<Point> {
  const script = elementScript(selector, `${mustBeEnabled ? requireEnabled : ''}${findPoint}`)
  const untilMs = performance.now() + movingMsMax
  let point = await pollPage<Point>(step, script)
  for (;;) {
    await sleep(step.page, frameMs)
    const before = point
    point = await pollPage<Point>(step, script)
    const hasMoved = Math.abs(point.x - before.x) >= 1 || Math.abs(point.y - before.y) >= 1
    if (!hasMoved || performance.now() > untilMs) return point
  }
}

/** Not final: a disabled element may become enabled later. */
export const requireEnabled = `
  if (element.matches(':disabled')) return { obstacle: name + ' is disabled' }
`

/**
 * Uses the element where it is if it is fully visible, else scrolls it to the middle of the screen,
 * else, if it is covered there, to the top or bottom. A label stands for its control.
 */
const findPoint = `
  const hasArea = ({ width, height }) => width > 0 && height > 0
  if (![...element.getClientRects()].some(hasArea)) return { obstacle: name + ' has no box: it is hidden or empty' }
  if (getComputedStyle(element).visibility !== 'visible') return { obstacle: name + ' is hidden' }
  const visibleMiddle = () => {
    const { offsetLeft, offsetTop, width, height } = visualViewport
    for (const rect of element.getClientRects()) {
      const left = Math.max(rect.left, offsetLeft)
      const top = Math.max(rect.top, offsetTop)
      const right = Math.min(rect.right, offsetLeft + width)
      const bottom = Math.min(rect.bottom, offsetTop + height)
      if (right <= left || bottom <= top) continue
      const isWhole = right - left === rect.width && bottom - top === rect.height
      return { x: (left + right) / 2, y: (top + bottom) / 2, isWhole }
    }
  }
  let cover
  for (const block of [undefined, 'center', 'start', 'end']) {
    if (block) element.scrollIntoView({ block, inline: 'center', behavior: 'instant' })
    const middle = visibleMiddle()
    if (!middle || (!block && !middle.isWhole)) continue
    const hit = document.elementFromPoint(middle.x, middle.y)
    if (element.contains(hit) || hit?.closest('label')?.control === element) {
      return { found: { x: middle.x - visualViewport.offsetLeft, y: middle.y - visualViewport.offsetTop } }
    }
    cover = hit ?? cover
  }
  if (!cover) return { obstacle: name + ' cannot be scrolled into view' }
  const attribute = (key) => (cover.getAttribute(key) ? ' ' + key + '="' + cover.getAttribute(key).slice(0, 50) + '"' : '')
  return { obstacle: name + ' is covered by <' + cover.localName + attribute('id') + attribute('class') + '>' }
`

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
