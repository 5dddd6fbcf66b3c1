import type { LivePage } from '../page/live-page.ts'
import type { Point } from './reach-element.ts'
import { rest } from './step.ts'

type Button = 'left' | 'right' | 'middle'

const bits: Record<Button, number> = { left: 1, right: 2, middle: 4 }

export async function moveMouse({ session, end }: LivePage, to: Point): Promise<void> {
  await end.during(session.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...to }))
}

/** As a hand does it: the second click of a double click says that it is the second. */
export async function click(
  page: LivePage,
  at: Point,
  options: { button: Button; clickCount: number; delay: number },
): Promise<void> {
  const { session, end } = page
  const { button, clickCount, delay } = options
  await moveMouse(page, at)
  for (let count = 1; count <= clickCount; count++) {
    const press = { ...at, button, clickCount: count }
    await end.during(
      session.send('Input.dispatchMouseEvent', {
        ...press,
        type: 'mousePressed',
        buttons: bits[button],
      }),
    )
    if (delay > 0) await rest(page, delay)
    await end.during(session.send('Input.dispatchMouseEvent', { ...press, type: 'mouseReleased' }))
  }
}
