import type { LivePage } from '../page/live-page.ts'
import type { Point } from './reach-element.ts'
import { sleep } from './step.ts'

type Button = 'left' | 'right' | 'middle'

const bits: Record<Button, number> = { left: 1, right: 2, middle: 4 }

export async function moveMouse({ session, deadline }: LivePage, to: Point): Promise<void> {
  await deadline.during(session.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...to }))
}

/** Moves, presses and releases. Each click of a double click carries its number. */
export async function click(
  page: LivePage,
  at: Point,
  options: { button: Button; clickCount: number; delay: number },
): Promise<void> {
  const { session, deadline } = page
  const { button, clickCount, delay } = options
  await moveMouse(page, at)
  for (let count = 1; count <= clickCount; count++) {
    const press = { ...at, button, clickCount: count }
    await deadline.during(
      session.send('Input.dispatchMouseEvent', {
        ...press,
        type: 'mousePressed',
        buttons: bits[button],
      }),
    )
    if (delay > 0) await sleep(page, delay)
    const release = { ...press, type: 'mouseReleased' } as const
    await deadline.during(session.send('Input.dispatchMouseEvent', release))
  }
}
