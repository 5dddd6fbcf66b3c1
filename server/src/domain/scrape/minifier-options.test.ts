import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { MinifierOptions, minifierOptionsOf } from './minifier-options.ts'

const minifierOptions = (given: object) => minifierOptionsOf(MinifierOptions.parse(given))

test('without useMinifier there are no minifier options', () => {
  assert.equal(minifierOptionsOf(MinifierOptions.parse(undefined)), undefined)
  assert.equal(minifierOptions({ removeComments: true }), undefined)
})

test('useMinifier alone collapses whitespace conservatively and removes comments', () => {
  assert.deepEqual(minifierOptions({ useMinifier: true, minifyCSS: null }), {
    collapseWhitespace: true,
    conservativeCollapse: true,
    removeComments: true,
  })
})

test('options beside useMinifier replace the default ones', () => {
  assert.deepEqual(minifierOptions({ useMinifier: true, removeComments: false, minifyJS: true }), {
    removeComments: false,
    minifyJS: true,
  })
})

test('option names of older minifiers are mapped to the current ones', () => {
  const older = { html5: true, removeScriptTypeAttributes: true, sortClassName: true }

  assert.deepEqual(minifierOptions({ useMinifier: true, ...older }), {
    removeDefaultTypeAttributes: true,
    sortClassNames: true,
  })
})

const refused: [options: object, path: string][] = [
  [{ collapseWhitespce: true }, ''],
  [{ cacheCSS: 1_000_000 }, ''],
  [{ removeComments: 'true' }, 'removeComments'],
  [{ ignoreCustomComments: ['('] }, 'ignoreCustomComments.0'],
  [{ ignoreCustomComments: ['/(/g'] }, 'ignoreCustomComments.0'],
  [{ ignoreCustomComments: ['a', '(?=a)'] }, 'ignoreCustomComments.1'],
  [{ ignoreCustomFragments: ['(a)\\1'] }, 'ignoreCustomFragments.0'],
  [{ customAttrCollapse: 'a{501}' }, 'customAttrCollapse'],
  [{ customAttrSurround: [['a']] }, 'customAttrSurround.0'],
  [{ ignoreCustomComments: Array(5).fill('a{450}') }, ''],
  [
    {
      customAttrAssign: Array(2).fill('a{450}'),
      customAttrSurround: [
        ['b{450}', 'c{450}'],
        ['d{450}', 'e'],
      ],
    },
    '',
  ],
  [{ quoteCharacter: '`' }, 'quoteCharacter'],
  [{ maxLineLength: 0 }, 'maxLineLength'],
]

for (const [options, path] of refused) {
  test(`the minifier options ${JSON.stringify(options)} are refused`, () => {
    const issues = MinifierOptions.safeParse(options).error?.issues ?? []

    assert.deepEqual(
      issues.map((issue) => issue.path.join('.')),
      [path],
    )
  })
}

test('no pattern is compiled of those that are too long together', (t) => {
  const { RE2JS } = createRequire(import.meta.url)('re2js')
  const compile = t.mock.method(RE2JS, 'compile')
  const options = { useMinifier: true, ignoreCustomComments: Array(20).fill('a?'.repeat(250)) }

  assert.match(MinifierOptions.safeParse(options).error?.message ?? '', /at most 2000 characters/)
  assert.equal(compile.mock.callCount(), 0)
})

test('patterns of the minifier may be bare or between slashes', () => {
  const patterns = ['^!', '/^keep/i']

  assert.deepEqual(minifierOptions({ useMinifier: true, ignoreCustomComments: patterns }), {
    ignoreCustomComments: patterns,
  })
})
