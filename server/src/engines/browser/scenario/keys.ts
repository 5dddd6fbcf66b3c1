/** A key of a US keyboard and what it writes. */
export interface Key {
  /** What it means, as pages see it. */
  readonly key: string
  /** Where it is. */
  readonly code: string
  readonly keyCode: number
  readonly text?: string
  readonly needsShift?: boolean
}

/** One thing that is pressed, and what is held down meanwhile. */
export interface Chord {
  readonly modifiers: readonly Key[]
  readonly key: Key
}

/** As the protocol counts them. */
export const modifierBits = { Alt: 1, Control: 2, Meta: 4, Shift: 8 } as const
type Modifier = keyof typeof modifierBits

/** What a text needs to be typed: a key, or the characters that no key of this keyboard has. */
export type Stroke = { readonly key: Key } | { readonly characters: string }

const named: readonly Key[] = [
  { key: 'Enter', code: 'Enter', keyCode: 13, text: '\r' },
  { key: 'Tab', code: 'Tab', keyCode: 9 },
  { key: 'Escape', code: 'Escape', keyCode: 27 },
  { key: 'Backspace', code: 'Backspace', keyCode: 8 },
  { key: 'Delete', code: 'Delete', keyCode: 46 },
  { key: 'Insert', code: 'Insert', keyCode: 45 },
  { key: 'ArrowLeft', code: 'ArrowLeft', keyCode: 37 },
  { key: 'ArrowUp', code: 'ArrowUp', keyCode: 38 },
  { key: 'ArrowRight', code: 'ArrowRight', keyCode: 39 },
  { key: 'ArrowDown', code: 'ArrowDown', keyCode: 40 },
  { key: 'Home', code: 'Home', keyCode: 36 },
  { key: 'End', code: 'End', keyCode: 35 },
  { key: 'PageUp', code: 'PageUp', keyCode: 33 },
  { key: 'PageDown', code: 'PageDown', keyCode: 34 },
  ...Array.from({ length: 12 }, (_, index) => {
    const name = `F${index + 1}`
    return { key: name, code: name, keyCode: 112 + index }
  }),
]

const modifiers: Record<Modifier, Key> = {
  Alt: { key: 'Alt', code: 'AltLeft', keyCode: 18 },
  Control: { key: 'Control', code: 'ControlLeft', keyCode: 17 },
  Meta: { key: 'Meta', code: 'MetaLeft', keyCode: 91 },
  Shift: { key: 'Shift', code: 'ShiftLeft', keyCode: 16 },
}

/** Each place with what it writes, without and with Shift. */
const places: readonly (readonly [
  code: string,
  keyCode: number,
  plain: string,
  shifted: string,
])[] = [
  ['Space', 32, ' ', ' '],
  ...[...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map(
    (letter) => [`Key${letter}`, letter.charCodeAt(0), letter.toLowerCase(), letter] as const,
  ),
  ...[...')!@#$%^&*('].map(
    (shifted, digit) => [`Digit${digit}`, 48 + digit, String(digit), shifted] as const,
  ),
  ['Backquote', 192, '`', '~'],
  ['Minus', 189, '-', '_'],
  ['Equal', 187, '=', '+'],
  ['BracketLeft', 219, '[', '{'],
  ['BracketRight', 221, ']', '}'],
  ['Backslash', 220, '\\', '|'],
  ['Semicolon', 186, ';', ':'],
  ['Quote', 222, "'", '"'],
  ['Comma', 188, ',', '<'],
  ['Period', 190, '.', '>'],
  ['Slash', 191, '/', '?'],
]

const written = places.flatMap(([code, keyCode, plain, shifted]): Key[] => [
  { key: plain, code, keyCode, text: plain },
  ...(shifted === plain ? [] : [{ key: shifted, code, keyCode, text: shifted, needsShift: true }]),
])

const byCharacter = new Map(written.map((key) => [key.key, key]))
const shiftedByCode = new Map(
  written.filter(({ needsShift }) => needsShift).map((key) => [key.code, key]),
)
const plainByCode = new Map(
  written.filter(({ needsShift }) => !needsShift).map((key) => [key.code, key]),
)

const lowered = (entries: Iterable<readonly [string, Key]>) =>
  new Map([...entries].map(([name, key]) => [name.toLowerCase(), key]))

const byName = lowered([
  ...plainByCode,
  ...named.map((key) => [key.key, key] as const),
  ...Object.entries(modifiers),
  ['Esc', { key: 'Escape', code: 'Escape', keyCode: 27 }],
])

const modifierByName = lowered([
  ...Object.entries(modifiers),
  ['Ctrl', modifiers.Control],
  ['Option', modifiers.Alt],
  ['Command', modifiers.Meta],
  ['Cmd', modifiers.Meta],
])

export const deletion: Chord = {
  modifiers: [],
  key: { key: 'Delete', code: 'Delete', keyCode: 46 },
}

/** `Enter`, `a`, `Control+A`, `Shift+Tab`, `Control++`; undefined when there is no such key. */
export function findChord(value: string): Chord | undefined {
  const cut = value.length > 1 ? value.lastIndexOf('+', value.length - 2) : -1
  const held = (cut === -1 ? [] : value.slice(0, cut).split('+')).map((name) =>
    modifierByName.get(name.toLowerCase()),
  )
  const key = findKey(value.slice(cut + 1))
  if (!key || !held.every((modifier) => modifier !== undefined)) return undefined
  return { modifiers: held, key: asHeld(key, held) }
}

/** Characters as they are; longer names in any case. */
const findKey = (name: string): Key | undefined =>
  name.length === 1 ? byCharacter.get(name) : byName.get(name.toLowerCase())

/** `Control+A` means the key that has an A on it; Shift alone decides what that writes. */
function asHeld(key: Key, held: readonly Key[]): Key {
  if (held.length === 0) return key
  const isShifted = held.includes(modifiers.Shift)
  return (isShifted ? shiftedByCode : plainByCode).get(key.code) ?? key
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

export const strokesOf = (text: string): Stroke[] =>
  [...graphemes.segment(text)].map(({ segment }) => strokeOf(segment))

function strokeOf(grapheme: string): Stroke {
  const name = namesOfControls[grapheme]
  const key = name === undefined ? byCharacter.get(grapheme) : byName.get(name)
  return key ? { key } : { characters: grapheme }
}

const namesOfControls: Record<string, string> = {
  '\n': 'enter',
  '\r': 'enter',
  '\r\n': 'enter',
  '\t': 'tab',
}

/** The clipboard belongs to the whole browser, and may hold what another task has put there. */
export function isPaste({ modifiers: held, key }: Chord): boolean {
  const isHeld = (modifier: Key) => held.includes(modifier)
  if (key.code === 'KeyV') return isHeld(modifiers.Control) || isHeld(modifiers.Meta)
  return key.code === 'Insert' && isHeld(modifiers.Shift)
}
