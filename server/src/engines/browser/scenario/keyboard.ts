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

export async function typeStroke(page: LivePage, stroke: Stroke): Promise<void> {
  if ('key' in stroke) await pressKey(page, stroke.key, 0)
  else await insertText(page, stroke.characters)
}

/** Inserts the text at once, as an input method (IME) does. */
export async function insertText({ session, deadline }: LivePage, text: string): Promise<void> {
  await deadline.during(session.send('Input.insertText', { text }))
}

async function pressKey(page: LivePage, key: Key, held: number): Promise<void> {
  const all = key.needsShift ? held | modifierBits.Shift : held
  await dispatch(page, 'down', key, all)
  await dispatch(page, 'up', key, all)
}

async function dispatch(
  { session, deadline }: LivePage,
  direction: 'down' | 'up',
  { key, code, keyCode, text }: Key,
  modifiers: number,
): Promise<void> {
  // With a modifier other than Shift, a key is a shortcut and types nothing.
  const typesText =
    text !== undefined && direction === 'down' && (modifiers & ~modifierBits.Shift) === 0
  await deadline.during(
    session.send('Input.dispatchKeyEvent', {
      type: direction === 'up' ? 'keyUp' : typesText ? 'keyDown' : 'rawKeyDown',
      key,
      code,
      windowsVirtualKeyCode: keyCode,
      modifiers,
      ...(typesText && { text, unmodifiedText: text }),
    }),
  )
}

const bitOf = ({ key }: Key): number => (key in modifierBits ? modifierBits[key as 'Shift'] : 0)
