/**
 * The beginning of a value as indented JSON. It stops at so many characters, so that a result of many
 * megabytes does not keep the page busy.
 */
export function cutJson(value: unknown, charactersMax: number): { text: string; isCut: boolean } {
  const pieces: string[] = []
  let left = charactersMax

  const add = (piece: string): boolean => {
    pieces.push(piece.slice(0, left))
    left -= piece.length
    return left >= 0
  }
  const addEntries = (entries: Iterable<[string, unknown]>, brackets: string, indent: string) => {
    let count = 0
    for (const [prefix, entry] of entries) {
      const before = `${count++ === 0 ? brackets[0] : ','}\n${indent}  ${prefix}`
      if (!add(before) || !addValue(entry, `${indent}  `)) return false
    }
    return add(count === 0 ? brackets : `\n${indent}${brackets[1]}`)
  }
  const addValue = (one: unknown, indent: string): boolean => {
    // A string longer than what is left is not escaped as a whole.
    if (typeof one === 'string') return add(JSON.stringify(one.slice(0, left + 1)))
    if (Array.isArray(one)) return addEntries(itemsOf(one), '[]', indent)
    if (typeof one !== 'object' || one === null) return add(JSON.stringify(one) ?? 'null')
    return addEntries(fieldsOf(one), '{}', indent)
  }

  const isWhole = addValue(value, '')
  return { text: pieces.join(''), isCut: !isWhole }
}

function* itemsOf(list: readonly unknown[]): Generator<[string, unknown]> {
  for (const item of list) yield ['', item]
}

function* fieldsOf(object: object): Generator<[string, unknown]> {
  for (const [name, value] of Object.entries(object)) {
    if (value !== undefined) yield [`${JSON.stringify(name)}: `, value]
  }
}
