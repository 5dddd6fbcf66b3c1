import assert from 'node:assert/strict'
import test from 'node:test'
import { minifyHtml } from './minify-html.ts'

const page = `<!doctype html>
<html>
  <head>
    <!-- a remark -->
    <script type="text/javascript">  var first = 1;  </script>
    <style>  p { color: #ff0000; }  </style>
  </head>
  <body class="b   a">
    <p>one    <b>two</b>
    three</p>
  </body>
</html>`

test('useMinifier alone collapses whitespace conservatively and removes comments', async () => {
  const html = await minifyHtml(page, { useMinifier: true })

  assert.doesNotMatch(html, /remark/)
  assert.match(html, /<p>one <b>two<\/b> three<\/p>/)
  assert.match(html, /type="text\/javascript"/)
})

test('with any other option only the options given apply', async () => {
  const html = await minifyHtml(page, { useMinifier: true, removeScriptTypeAttributes: true })

  assert.match(html, /a remark/)
  assert.doesNotMatch(html, /text\/javascript/)
})

test('minifyJS and minifyCSS minify scripts and styles', async () => {
  const html = await minifyHtml(page, { useMinifier: true, minifyJS: true, minifyCSS: true })

  assert.match(html, /<script type="text\/javascript">var first=1<\/script>/)
  assert.match(html, /<style>p\{color:red\}<\/style>/)
})

test('comments that match ignoreCustomComments are kept', async () => {
  const html = await minifyHtml('<!-- keep this --><!-- not that -->', {
    useMinifier: true,
    removeComments: true,
    ignoreCustomComments: ['keep'],
  })

  assert.equal(html, '<!-- keep this -->')
})

test('without useMinifier nothing is minified', async () => {
  assert.equal(await minifyHtml(page, { useMinifier: false, removeComments: true }), page)
})

const unparsable = {
  'a tag that never ends': '<p <p <p',
  'too deep a nesting': '<i>'.repeat(20_000),
  'an empty page': '',
}

for (const [name, html] of Object.entries(unparsable)) {
  test(`${name} is returned unchanged`, async () => {
    assert.equal(await minifyHtml(html, { useMinifier: true }), html)
  })
}
