import type { LivePage } from '../page/live-page.ts'
import { type Chord, type Key, modifierBits, type Stroke } from './keys.ts'

export async function pressChord(page: LivePage, { modifiers, key }: Chord): Promise<void> {
  let held = 0
  for (const modifier of modifiers) {
    held |= bitOf(modifier)
    await dispatch(page, 'down', modifier, held)
  }
  await pressKey(page, key, held)
  for (const modifier of modifiers.toReversed()) {
    held &= ~bitOf(modifier)
    await dispatch(page, 'up', modifier, held)
  }
}

export async function enter(page: LivePage, stroke: Stroke): Promise<void> {
  if ('key' in stroke) await pressKey(page, stroke.key, 0)
  else await insertText(page, stroke.characters)
}

/** All at once, as a keyboard for another language does it. */
export async function insertText({ session, end }: LivePage, text: string): Promise<void> {
  await end.during(session.send('Input.insertText', { text }))
}

async function pressKey(page: LivePage, key: Key, held: number): Promise<void> {
  const all = key.needsShift ? held | modifierBits.Shift : held
  await dispatch(page, 'down', key, all)
  await dispatch(page, 'up', key, all)
}

async function dispatch(
  { session, end }: LivePage,
  direction: 'down' | 'up',
  { key, code, keyCode, text }: Key,
  modifiers: number,
): Promise<void> {
  // With anything but Shift held down a key commands, and writes nothing.
  const isWriting =
    text !== undefined && direction === 'down' && (modifiers & ~modifierBits.Shift) === 0
  await end.during(
    session.send('Input.dispatchKeyEvent', {
      type: direction === 'up' ? 'keyUp' : isWriting ? 'keyDown' : 'rawKeyDown',
      key,
      code,
      windowsVirtualKeyCode: keyCode,
      modifiers,
      ...(isWriting && { text, unmodifiedText: text }),
    }),
  )
}

const bitOf = ({ key }: Key): number => (key in modifierBits ? modifierBits[key as 'Shift'] : 0)
