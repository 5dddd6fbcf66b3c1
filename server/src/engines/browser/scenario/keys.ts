/** A key of a US keyboard, with the fields of a DOM keyboard event. */
export interface Key {
  /** `KeyboardEvent.key`: its meaning. */
  readonly key: string
  /** `KeyboardEvent.code`: its position. */
  readonly code: string
  readonly keyCode: number
  readonly text?: string
  readonly needsShift?: boolean
}

/** A key and the modifiers that are held down with it. */
export interface Chord {
  readonly modifiers: readonly Key[]
  readonly key: Key
}

/** The modifier bits of `Input.dispatchKeyEvent`. */
export const modifierBits = { Alt: 1, Control: 2, Meta: 4, Shift: 8 } as const
type Modifier = keyof typeof modifierBits

/** How one character is typed: by a key, or inserted because no key of this keyboard has it. */
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

/** Each printable key with its characters without and with Shift. */
const printableKeys: readonly (readonly [
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

const characterKeys = printableKeys.flatMap(([code, keyCode, plain, shifted]): Key[] => [
  { key: plain, code, keyCode, text: plain },
  ...(shifted === plain ? [] : [{ key: shifted, code, keyCode, text: shifted, needsShift: true }]),
])

const byCharacter = new Map(characterKeys.map((key) => [key.key, key]))
const shiftedByCode = new Map(
  characterKeys.filter(({ needsShift }) => needsShift).map((key) => [key.code, key]),
)
const plainByCode = new Map(
  characterKeys.filter(({ needsShift }) => !needsShift).map((key) => [key.code, key]),
)

const withLowerCaseNames = (entries: Iterable<readonly [string, Key]>) =>
  new Map([...entries].map(([name, key]) => [name.toLowerCase(), key]))

const byName = withLowerCaseNames([
  ...plainByCode,
  ...named.map((key) => [key.key, key] as const),
  ...Object.entries(modifiers),
  ['Esc', { key: 'Escape', code: 'Escape', keyCode: 27 }],
])

const modifierByName = withLowerCaseNames([
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

/** Parses `Enter`, `a`, `Control+A`, `Shift+Tab`, `Control++`; undefined for an unknown key. */
export function findChord(value: string): Chord | undefined {
  const cut = value.length > 1 ? value.lastIndexOf('+', value.length - 2) : -1
  const held = (cut === -1 ? [] : value.slice(0, cut).split('+')).map((name) =>
    modifierByName.get(name.toLowerCase()),
  )
  const key = findKey(value.slice(cut + 1))
  if (!key || !held.every((modifier) => modifier !== undefined)) return undefined
  return { modifiers: held, key: withModifiers(key, held) }
}

/** Single characters are case-sensitive, names of keys are not. */
const findKey = (name: string): Key | undefined =>
  name.length === 1 ? byCharacter.get(name) : byName.get(name.toLowerCase())

/** In a chord, a character names its key (`Control+A` is `KeyA`); Shift decides what it types. */
function withModifiers(key: Key, held: readonly Key[]): Key {
  if (held.length === 0) return key
  const isShifted = held.includes(modifiers.Shift)
  return (isShifted ? shiftedByCode : plainByCode).get(key.code) ?? key
}

// Made when first used: it takes 70 ms, which every start of the service would spend.
let graphemes: Intl.Segmenter | undefined

export function strokesOf(text: string): Stroke[] {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return [...graphemes.segment(text)].map(({ segment }) => strokeOf(segment))
}

function strokeOf(grapheme: string): Stroke {
  const name = controlCharacterKeys[grapheme]
  const key = name === undefined ? byCharacter.get(grapheme) : byName.get(name)
  return key ? { key } : { characters: grapheme }
}

const controlCharacterKeys: Record<string, string> = {
  '\n': 'enter',
  '\r': 'enter',
  '\r\n': 'enter',
  '\t': 'tab',
}

/** Pasting is refused: the clipboard is shared and may hold text of another task. */
export function isPaste({ modifiers: held, key }: Chord): boolean {
  const isHeld = (modifier: Key) => held.includes(modifier)
  if (key.code === 'KeyV') return isHeld(modifiers.Control) || isHeld(modifiers.Meta)
  return key.code === 'Insert' && isHeld(modifiers.Shift)
}
