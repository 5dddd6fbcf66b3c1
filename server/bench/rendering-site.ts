/** The pages to render. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type RenderingPage = 'tiny' | 'spa' | 'real'

const filesOfReal = 30

/** A script that takes a while to parse, does some work and fetches data. */
const spaScript = [
  ...Array.from(
    { length: 1_100 },
    (_, index) =>
      `function part${index}(state) { return { ...state, part${index}: state.count + ${index} } }`,
  ),
  `const app = document.getElementById('app')
   const show = (items) => { app.innerHTML += items.map((item) => '<li>' + item.name + '</li>').join('') }
   let state = { count: 0 }
   for (let round = 0; round < 50; round += 1) state = part7(part3(state))
   fetch('/data/1').then((answer) => answer.json()).then(show)
   fetch('/data/2').then((answer) => answer.json()).then(show)`,
].join('\n')

const rowsOfReal = Array.from(
  { length: 2_000 },
  (_, index) =>
    `<article id="a${index}"><h2>Title ${index}</h2><p>Some <b>text</b> with a <a href="/${index}">link</a> to it.</p></article>`,
).join('\n')
const files = Array.from({ length: filesOfReal }, (_, index) =>
  index % 3 === 0
    ? `<link rel="stylesheet" href="/file/${index}.css">`
    : index % 3 === 1
      ? `<script src="/file/${index}.js"></script>`
      : `<img src="/file/${index}.png" width="1" height="1">`,
).join('')

const html = (body: string) => ({
  type: 'text/html; charset=utf-8',
  body: Buffer.from(
    `<!doctype html><html><head><title>A page</title></head><body>${body}</body></html>`,
  ),
})
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const data = Array.from({ length: 50 }, (_, index) => ({ name: `item ${index}` }))

const answers: readonly [RegExp, { type: string; body: Buffer }][] = [
  [/^\/tiny/, html('<p>Hello.</p>')],
  [/^\/spa$/, html('<ul id="app"></ul><script src="/spa.js"></script>')],
  [/^\/spa\.js/, { type: 'text/javascript', body: Buffer.from(spaScript) }],
  [/^\/data/, { type: 'application/json', body: Buffer.from(JSON.stringify(data)) }],
  [/^\/real/, html(files + rowsOfReal)],
  [/\.css$/, { type: 'text/css', body: Buffer.from('article { margin: 4px }\n'.repeat(40)) }],
  [
    /\.js$/,
    {
      type: 'text/javascript',
      body: Buffer.from('globalThis.seen = (globalThis.seen ?? 0) + 1\n'.repeat(40)),
    },
  ],
  [/\.png$/, { type: 'image/png', body: pixel }],
]

const server = createServer((request, response) => {
  const answer = answers.find(([pattern]) => pattern.test(request.url ?? ''))?.[1]
  if (!answer) return void response.writeHead(404).end()
  response
    .writeHead(200, { 'content-type': answer.type, 'content-length': answer.body.length })
    .end(answer.body)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1')

process.on('message', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ siteUrl: `http://127.0.0.1:${port}` })
})
