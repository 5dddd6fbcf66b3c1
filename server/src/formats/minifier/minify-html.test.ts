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

test('no pattern of a caller backtracks, whatever a page has in its comments', async () => {
  const html = await minifyHtml(`<p>a</p><!--${'a'.repeat(60)}--><!-- b -->`, {
    useMinifier: true,
    removeComments: true,
    ignoreCustomComments: ['a?'.repeat(60) + 'a'.repeat(60)],
  })

  assert.equal(html, `<p>a</p><!--${'a'.repeat(60)}-->`)
})

test('what matches ignoreCustomFragments stays as it is, everything else is minified', async () => {
  const fragments = ['{{  a   (b) }}', '<?php  echo  "x" ; ?>', '{%  if  $1  %}', '{%  end  %}']
  const [first, second, third, fourth] = fragments
  const html = await minifyHtml(
    `<p  title="${first}"  >one   ${second}   two</p><ul> <li ${third} class="x" ${fourth}> </ul>`,
    {
      useMinifier: true,
      collapseWhitespace: true,
      ignoreCustomFragments: ['\\{\\{(?:\\s|\\w|[()])*\\}\\}', '<\\?php.*?\\?>', '/{%.*?%}/i'],
    },
  )

  assert.equal(
    html,
    `<p title="${first}">one ${second} two</p><ul><li ${third} class="x" ${fourth}></ul>`,
  )
})

test('fragments in a script survive its minifying', async () => {
  const html = await minifyHtml('<script>var a = {{ b }} ;  var c = 1 ;</script>', {
    useMinifier: true,
    minifyJS: true,
    ignoreCustomFragments: ['\\{\\{.*?\\}\\}'],
  })

  assert.equal(html, '<script>var a= {{ b }} ,c=1</script>')
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
