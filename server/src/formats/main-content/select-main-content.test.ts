import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePage } from '../dom/page-document.ts'
import { toHtml } from '../dom/parse-html.ts'
import { toText } from '../markdown/to-text.ts'
import { selectMainContent } from './select-main-content.ts'

const url = 'https://example.com/a'
const textOf = (html: string, at = url): string => {
  const { root, title } = selectMainContent(parsePage(html, at))
  return toText(root, at, title)
}

const one =
  'The council voted on Monday to close the old bridge, which engineers had called unsafe.'
const two = 'Repairs would take two years and cost more than the city earns from parking in ten.'
const three = 'Until then ferries will cross the river every ten minutes from six in the morning.'

const article = (before: string, inside: string, after: string): string => `<!doctype html>
  <title>Old bridge closes</title><meta property="og:type" content="article">
  <body>${before}<main><h1>Old bridge closes</h1><p>${one}</p>${inside}<p>${two}</p></main>${after}`

const body = `${one}\n\n${two}`

const removed: [name: string, html: string][] = [
  [
    'navigation and footer',
    article('<nav><a href=/>Home</a></nav>', '', '<footer>About us</footer>'),
  ],
  ['a sidebar with text', article('', '', `<div class="sidebar"><p>${three}</p></div>`)],
  ['comments of readers', article('', '', `<section id="comments"><p>${three}</p></section>`)],
  ['a bar for sharing', article('', '<div class="share-buttons">Tweet this page now</div>', '')],
  ['a form for a newsletter', article('', `<div class=newsletterBox>${three}</div>`, '')],
  [
    'links to related articles',
    article('', '<p><a href=/b>Ferry timetable for the winter</a></p>', ''),
  ],
  ['a label of an advertisement', article('', '<div>Advertisement</div>', '')],
  [
    'a label in another language',
    article('', '<p><b>Lesen Sie auch:</b> <a href=/b>Fähren fahren öfter</a></p>', ''),
  ],
  [
    'the caption of a picture',
    article('', `<figure><img src=b.jpg><figcaption>${three}</figcaption></figure>`, ''),
  ],
  [
    'the date and the author',
    article('', '', '').replace('</h1>', '</h1><div>By Ann Lee, 3 May 2024</div>'),
  ],
  ['a cookie banner', article(`<div id="cookie-consent">${three}</div>`, '', '')],
  [
    'the stories before and after it',
    article('', '', `<div class="next-prev"><p>${three}</p><p>${one}</p></div>`),
  ],
  [
    'the date in a small heading',
    article('', '', '').replace('</h1>', '</h1><h6>June 8, 2012 6:14 AM</h6>'),
  ],
  ['hidden text', article('', `<p hidden>${three}</p>`, '')],
]

for (const [name, html] of removed) {
  test(`the main content of an article is without ${name}`, () => {
    assert.equal(textOf(html), body)
  })
}

const kept: [name: string, inside: string][] = [
  ['paid paragraphs', `<p class=paywall>${three}</p>`],
  [
    'a quoted post of a social network',
    `<div class=social-embed><blockquote>${three}</blockquote></div>`,
  ],
  ['a note beside the text', `<aside class="callout"><p>${three}</p></aside>`],
  [
    'a word with a tooltip',
    `<p>${three.replace('ferries', '<span class=tooltip>ferries</span>')}</p>`,
  ],
]

for (const [name, inside] of kept) {
  test(`the main content of an article has ${name}`, () => {
    assert.equal(textOf(article('', inside, '')), `${one}\n\n${three}\n\n${two}`)
  })
}

test('footnotes outside of the element with the text belong to it', () => {
  const notes = '<div class=footnotes><ol><li>See the report of the city.</ol></div>'

  assert.equal(textOf(article('', '', notes)), `${body}\n\nSee the report of the city.`)
})

test('of a page that is laid out in a table the cell with the text is the main content', () => {
  const menu = '<tr><td><a href=/b>Bridges</a><td>'
  const html = `<table>${menu}<p>${one}</p><p>${two}</p><p>${three}</p></table>`

  assert.equal(textOf(html), `${one}\n\n${two}\n\n${three}`)
})

test('the buttons that are the headings of an accordion are kept', () => {
  const inside = `<h3><button>When?</button></h3><p>${three}</p><button>Print</button>`

  assert.equal(textOf(article('', inside, '')), `${one}\n\nWhen?\n\n${three}\n\n${two}`)
})

test('a large line with the title of the page is its title', () => {
  const html = `<title>Old bridge closes</title><div><b>Old bridge closes</b></div><p>${one}</p><p>${two}</p>`

  assert.equal(textOf(html), body)
  assert.equal(
    toText(selectMainContent(parsePage(html, url)).root, url),
    `Old bridge closes\n\n${body}`,
  )
})

test('a shorter article with the title wins over longer teasers beside it', () => {
  const more = `<p>${three}</p><p>${two}</p><p>${three}</p>`
  const teasers = `<div><p>${three}</p></div>`.repeat(12)

  const text = textOf(article('', more, `<div class=below>${teasers}</div>`))

  assert.equal(text, [one, three, two, three, two].join('\n\n'))
})

test('a lead between the title and the text belongs to the text', () => {
  const html = `<title>Old bridge closes</title><body><h1>Old bridge closes</h1>
    <p class=lead>${three}</p><div class=article-body><p>${one}</p><p>${two}</p><p>${one}</p></div>`

  assert.equal(textOf(html), `${three}\n\n${one}\n\n${two}\n\n${one}`)
})

test('the heading with the title of the page is kept and named', () => {
  const { root, title } = selectMainContent(parsePage(article('', '', ''), url))

  assert.equal(toText(root, url), `Old bridge closes\n\n${body}`)
  assert.equal(title?.localName, 'h1')
})

test('code, tables, lists, captions and footnotes of a technical page are kept', () => {
  const inside = `<h2>Use</h2><pre><code>npm start</code></pre>
    <table><tr><th>Flag<th>Use<tr><td>-v<td>verbose</table>
    <ul><li><a href=/b>One</a><li><a href=/c>Two</a></ul>
    <figure><img src=x.png><figcaption>The window</figcaption></figure>
    <ol class=footnotes><li>See the manual.</ol>`

  const text = textOf(article('<nav>Menu</nav>', inside, ''))

  for (const part of [
    'Use',
    'npm start',
    '-v\tverbose',
    'One\nTwo',
    'The window',
    'See the manual.',
  ]) {
    assert.ok(text.includes(part), part)
  }
})

test('the posts of a forum thread are all kept', () => {
  const posts = [one, two, three]
    .map((text) => `<div class="comment"><p>${text}</p></div>`)
    .join('')

  const text = textOf(`<body><nav>Menu</nav>${posts}`, 'https://example.com/forum/thread/12')

  assert.equal(text, `${one}\n\n${two}\n\n${three}`)
})

test('a list of links is the content of a page that has little else', () => {
  const items = ['First', 'Second', 'Third'].map(
    (name) => `<li><a href=/${name}>${name} entry</a> 3 €</li>`,
  )

  const text = textOf(
    `<body><nav><a href=/>Home</a></nav><main><h1>Offers</h1><ul>${items.join('')}</ul></main>`,
  )

  assert.equal(text, 'Offers\n\nFirst entry 3 €\nSecond entry 3 €\nThird entry 3 €')
})

const texts: [name: string, html: string][] = [
  ['only a few words', '<body>Hello'],
  ['only navigation', '<body><nav>Hello</nav>'],
  ['only a footer', '<body><footer class=cookie>Hello</footer>'],
  ['only hidden text', '<body><div style="display:none">Hello</div>'],
  ['only a heading', '<title>Hello</title><h1>Hello</h1>'],
]

for (const [name, html] of texts) {
  test(`a page with ${name} is not empty`, () => {
    assert.equal(textOf(html), 'Hello')
  })
}

test('a page without text has an empty main content', () => {
  assert.equal(textOf(''), '')
})

test('a picture for browsers without scripts is kept, one that counts visitors is not', () => {
  const picture = '<noscript><img src=a.jpg width=800></noscript>'
  const counter = '<noscript><img src=b.gif width=1 height=1></noscript>'

  const { root } = selectMainContent(parsePage(article('', picture + counter, ''), url))
  const html = toHtml(root)

  assert.ok(html.includes('a.jpg'))
  assert.ok(!html.includes('b.gif'))
})

test('comments in code are not taken for comments of readers', () => {
  const code = '<pre><code>run() <span class="comment">// at night</span></code></pre>'

  assert.ok(textOf(article('', code, '')).includes('// at night'))
})

test('the shared document does not change', () => {
  const page = parsePage(article('<nav>Menu</nav>', '<div class=share>Share</div>', ''), url)
  const { body } = page.document
  assert.ok(body)
  const before = toHtml(body)

  selectMainContent(page)

  assert.equal(toHtml(body), before)
})

test('an element with a name that the DOM refuses does not stop the selection', () => {
  assert.equal(
    textOf(article('', `<a"b><p>${three}</p></a"b>`, '')),
    `${one}\n\n${three}\n\n${two}`,
  )
})

test('elements named like members of objects do no harm', () => {
  const odd = '<__proto__>a</__proto__><constructor>b</constructor><tostring>c</tostring>'

  assert.ok(textOf(article('', odd, '')).includes(one))
})

test('a hostile page within the limits is handled', () => {
  const deep = `${'<div class="share related">'.repeat(700)}${'<span></span>'.repeat(50_000)}x${'</div>'.repeat(700)}`

  assert.ok(textOf(`<body><h1>Title</h1>${deep}<p>${one}`).includes(one))
})
