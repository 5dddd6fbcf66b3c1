import assert from 'node:assert/strict'

/** Encodes by the decoder's own tables, since Node only decodes legacy charsets. */
export function encode(text: string, charset: string): Buffer {
  const table = tableOf(charset)
  return Buffer.concat(
    Array.from(text, (character) => {
      const bytes = table.get(character)
      assert.ok(bytes, `${charset} has no ${character}`)
      return bytes
    }),
  )
}

const tables = new Map<string, Map<string, Buffer>>()

function tableOf(charset: string): Map<string, Buffer> {
  const known = tables.get(charset)
  if (known) return known
  const table = new Map<string, Buffer>()
  const decoder = new TextDecoder(charset)
  const add = (...bytes: number[]) => {
    const character = decoder.decode(Buffer.from(bytes))
    if ([...character].length === 1 && character !== '\ufffd' && !table.has(character)) {
      table.set(character, Buffer.from(bytes))
    }
  }
  for (let byte = 0; byte < 256; byte++) add(byte)
  for (let lead = 0x81; lead < 0xff; lead++) {
    for (let trail = 0x40; trail < 0xff; trail++) add(lead, trail)
  }
  tables.set(charset, table)
  return table
}
