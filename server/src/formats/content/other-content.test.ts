import assert from 'node:assert/strict'
import test from 'node:test'
import { presentOther } from './other-content.ts'
import { readFeed } from './read-feed.ts'

const url = 'https://news.test/feed/'

const rss = `<?xml version="1.0"?><rss version="2.0" xmlns:content="x"><channel>
<title>News &amp; more</title><link>https://news.test/</link><description>All of it</description><language>en</language>
<item><title>First [one]</title><link>/1</link><guid isPermaLink="false">id-1</guid>
<pubDate>Thu, 04 Mar 2021 10:11:12 GMT</pubDate><description>&lt;p&gt;Some&lt;/p&gt;&lt;p&gt;&lt;b&gt;text&lt;/b&gt; &amp;amp; more&lt;/p&gt;</description></item>
<item><title><![CDATA[Second <b>]]></title><guid>https://news.test/2</guid></item></channel></rss>`

test('an RSS feed is a list of its entries, with titles linked, times and summaries', () => {
  const feed = presentOther('xml', rss, url)

  assert.equal(
    feed.markdown,
    `# [News \\& more](<https://news.test/>)

All of it

- [First \\[one\\]](<https://news.test/1>) (2021-03-04T10:11:12.000Z)

  Some text \\& more

- [Second \\<b\\>](<https://news.test/2>)
`,
  )
  assert.equal(
    feed.text,
    `News & more

All of it

First [one]
2021-03-04T10:11:12.000Z
https://news.test/1
Some text & more

Second <b>
https://news.test/2
`,
  )
  assert.equal(feed.html, rss)
  assert.deepEqual(feed.links, ['https://news.test/1', 'https://news.test/2'])
  assert.deepEqual([feed.metadata.title, feed.metadata.language], ['News & more', 'en'])
})

test('an Atom feed is read', () => {
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><link rel="self" href="/self"/><link href="/"/>
    <entry><title type="html">T</title><link rel="edit" href="/e"/><link rel="alternate" href="/t"/><updated>2021-03-04T00:00:00Z</updated>
    <author><title>no</title></author><content type="xhtml"><div>in <b>bold</b></div></content></entry></feed>`

  assert.deepEqual(readFeed(atom, url), {
    title: 'A',
    description: null,
    url: 'https://news.test/',
    language: null,
    entries: [
      { title: 'T', url: 'https://news.test/t', time: '2021-03-04T00:00:00Z', summary: 'in bold' },
    ],
  })
})

test('RSS 1.0, whose items stand beside the channel, is read', () => {
  const rdf = `<rdf:RDF><channel><title>A</title></channel><item><title>T</title><link>https://a.test/1</link><dc:date>2021-03-04</dc:date></item></rdf:RDF>`

  assert.equal(readFeed(rdf, url)?.entries[0]?.time, '2021-03-04')
})

test('a feed with broken XML is read as far as it goes', () => {
  const broken =
    '<rss><channel><title>A & B &nbsp; C</title><item><title>T</title></item><item><title>cut'

  const feed = readFeed(broken, url)

  assert.match(feed?.title ?? '', /^A & B/)
  assert.equal(feed?.entries[0]?.title, 'T')
})

test('an entity bomb and an external entity are harmless', () => {
  const bomb = `<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "${'&a;'.repeat(10)}"><!ENTITY c "${'&b;'.repeat(10)}"><!ENTITY x SYSTEM "file:///etc/passwd">]>
    <rss><channel><title>&c; &x;</title></channel></rss>`

  assert.equal(readFeed(bomb, url)?.title, '&c; &x;')
})

test('a feed is limited in entries, size and depth', () => {
  const many = `<rss><channel>${'<item><title>T</title></item>'.repeat(5_000)}</channel></rss>`
  const large = `<rss><channel><title>${'x'.repeat(10 * 2 ** 20)}</title></channel></rss>`
  const deep = `<rss><channel><item><title>T</title></item>${'<a>'.repeat(200_000)}`

  assert.equal(readFeed(many, url)?.entries.length, 1_000)
  assert.equal(readFeed(large, url)?.title?.length ?? 0, 5_000)
  assert.equal(readFeed(deep, url)?.entries.length, 1)
})

test('a summary that is too complex is left out, and the feed stays', () => {
  const summary = '&lt;div&gt;'.repeat(3_000)
  const xml = `<rss><channel><item><title>T</title><description>${summary}</description></item></channel></rss>`

  assert.equal(presentOther('xml', xml, url).text, 'T\n')
})

test('XML that is no feed is its source, fenced in markdown', () => {
  const { html, text, markdown } = presentOther('xml', '<a>\n</a>\n', url)

  assert.deepEqual(
    [html, text, markdown],
    ['<a>\n</a>\n', '<a>\n</a>\n', '```xml\n<a>\n</a>\n```\n'],
  )
})

test('JSON is its text, fenced in markdown, and no fence in it ends the block', () => {
  const json = '{"a": "````"}'

  const { html, text, markdown } = presentOther('json', json, url)

  assert.deepEqual([html, text, markdown], [null, json, `\`\`\`\`\`json\n${json}\n\`\`\`\`\`\n`])
})

test('plain text is the same in text and markdown', () => {
  const plain = '  * not\n<changed>\n'

  const { html, text, markdown, links } = presentOther('text', plain, url)

  assert.deepEqual([html, text, markdown, links], [null, plain, plain, []])
})
