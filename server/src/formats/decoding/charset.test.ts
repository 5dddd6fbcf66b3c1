import assert from 'node:assert/strict'
import test from 'node:test'
import { toUtf8 } from './charset.ts'

const read = (bytes: Uint8Array, contentType?: string) => {
  const text = toUtf8(bytes, contentType)
  return { ...text, bytes: Buffer.from(text.bytes).toString('utf8') }
}

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()
const shiftJis = Buffer.from([0x93, 0xfa, 0x96, 0x7b])

test('UTF-8 text is returned without a copy', () => {
  const bytes = Buffer.from('<p>größer')

  const text = toUtf8(bytes, 'text/html; charset=utf-8')

  assert.equal(text.bytes, bytes)
  assert.deepEqual([text.charset, text.hasReplacements], ['utf-8', false])
})

const cases: [
  name: string,
  bytes: Uint8Array,
  contentType: string | undefined,
  text: string,
  charset: string,
][] = [
  [
    'UTF-8 is recognised where no charset is declared',
    Buffer.from('<p>ü'),
    undefined,
    '<p>ü',
    'utf-8',
  ],
  [
    'text that is not UTF-8 is windows-1252 where no charset is declared',
    Buffer.from('<p>\xfc\x80', 'latin1'),
    'text/html',
    '<p>ü€',
    'windows-1252',
  ],
  [
    'the charset of the content-type header is used',
    Buffer.from('\xe4\xf6', 'latin1'),
    'text/html; charset=ISO-8859-1',
    'äö',
    'windows-1252',
  ],
  [
    'the charset of the content-type header may be quoted',
    shiftJis,
    'text/html;charset="Shift_JIS"',
    '日本',
    'shift_jis',
  ],
  [
    'the charset of a meta tag is used',
    Buffer.concat([Buffer.from('<meta charset=shift_jis>'), shiftJis]),
    'text/html',
    '<meta charset=shift_jis>日本',
    'shift_jis',
  ],
  [
    'the charset of a meta http-equiv tag is used',
    Buffer.concat([
      Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">'),
      shiftJis,
    ]),
    undefined,
    '<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">日本',
    'shift_jis',
  ],
  [
    'the encoding of an XML declaration is used',
    Buffer.from('<?xml version="1.0" encoding="koi8-r"?>\xc1', 'latin1'),
    'application/xml',
    '<?xml version="1.0" encoding="koi8-r"?>а',
    'koi8-r',
  ],
  [
    'the charset of the header wins over that of the markup',
    Buffer.from('<meta charset=shift_jis>ü'),
    'text/html; charset=utf-8',
    '<meta charset=shift_jis>ü',
    'utf-8',
  ],
  [
    'a byte order mark wins over the header and is dropped',
    Buffer.from('\ufeffü'),
    'text/html; charset=latin1',
    'ü',
    'utf-8',
  ],
  [
    'UTF-16LE is recognised by its byte order mark',
    Buffer.from('\ufeffüber', 'utf16le'),
    'text/html; charset=utf-8',
    'über',
    'utf-16le',
  ],
  ['UTF-16BE is recognised by its mark', utf16be('\ufeffüber'), undefined, 'über', 'utf-16be'],
  [
    'UTF-16 of the header needs no byte order mark',
    Buffer.from('ok', 'utf16le'),
    'text/html; charset=utf-16',
    'ok',
    'utf-16le',
  ],
  [
    'an unknown charset in the header is ignored in favour of the markup',
    Buffer.concat([Buffer.from('<meta charset=shift_jis>'), shiftJis]),
    'text/html; charset=klingon',
    '<meta charset=shift_jis>日本',
    'shift_jis',
  ],
  [
    'an unknown charset in the header is ignored in favour of the bytes',
    Buffer.from('ü'),
    'text/html; charset=klingon',
    'ü',
    'utf-8',
  ],
  [
    'a charset that the standard replaces is ignored in favour of the bytes',
    Buffer.from('ü'),
    'text/html; charset=iso-2022-kr',
    'ü',
    'utf-8',
  ],
  [
    'a charset declaration inside JSON is ignored',
    Buffer.from('["<meta charset=shift_jis>","ü"]'),
    'application/json',
    '["<meta charset=shift_jis>","ü"]',
    'utf-8',
  ],
  ['an empty text is UTF-8', new Uint8Array(), undefined, '', 'utf-8'],
]

for (const [name, bytes, contentType, text, charset] of cases) {
  test(name, () => {
    assert.deepEqual(read(bytes, contentType), { bytes: text, charset, hasReplacements: false })
  })
}

test('bytes that are not valid UTF-8 are replaced, and the result says so', () => {
  const text = read(Buffer.from('gr\xf6\xdfer', 'latin1'), 'text/html; charset=utf-8')

  assert.deepEqual(text, { bytes: 'gr\ufffd\ufffder', charset: 'utf-8', hasReplacements: true })
})

test('bytes that are not valid in another charset are replaced, and the result says so', () => {
  const text = read(Buffer.of(0x93, 0xfa, 0xff), 'text/html; charset=shift_jis')

  assert.deepEqual(text, { bytes: '日\ufffd', charset: 'shift_jis', hasReplacements: true })
})

test('a large text is decoded correctly where a character lies across two pieces', () => {
  const text = `x${'ü'.repeat(2 ** 20)}€`

  const decoded = read(Buffer.from(`\ufeff${text}`, 'utf16le'))

  assert.deepEqual([decoded.bytes === text, decoded.hasReplacements], [true, false])
})
