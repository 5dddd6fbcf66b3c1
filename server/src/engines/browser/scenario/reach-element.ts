import { atElement, lookFor } from './look.ts'
import { rest, type Step } from './step.ts'

/** Where the mouse goes, in pixels from the corner of what the screen shows. */
export interface Point {
  x: number
  y: number
}

const frameMs = 20
// What moves for longer, as a ticker does, is met where it is.
const movingMsMax = 1_000

/** Scrolls the element into view; the middle of what is seen of it, once that stays where it is. */
export async function reachElement(
  step: Step,
  selector: string,
  { isUsed }: { isUsed: boolean },
): Promise<Point> {
  const script = atElement(selector, `${isUsed ? enabled : ''}${middleInView}`)
  const untilMs = performance.now() + movingMsMax
  let point = await lookFor<Point>(step, script)
  for (;;) {
    await rest(step.page, frameMs)
    const before = point
    point = await lookFor<Point>(step, script)
    const hasMoved = Math.abs(point.x - before.x) >= 1 || Math.abs(point.y - before.y) >= 1
    if (!hasMoved || performance.now() > untilMs) return point
  }
}

/** What is disabled may come to life when the page is ready for it. */
export const enabled = `
  if (element.matches(':disabled')) return { obstacle: name + ' is disabled' }
`

/**
 * Where it is, if all of it can be seen; else in the middle of the screen; else, as when a bar lies
 * over that, at an end of it. A label stands for its control.
 */
const middleInView = `
  const has = ({ width, height }) => width > 0 && height > 0
  if (![...element.getClientRects()].some(has)) return { obstacle: name + ' has no box: it is hidden or empty' }
  if (getComputedStyle(element).visibility !== 'visible') return { obstacle: name + ' is hidden' }
  const middleSeen = () => {
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
    const middle = middleSeen()
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
