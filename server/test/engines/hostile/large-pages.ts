/** Pages that have, or take, too much. */
import type { Socket } from 'node:net'
import {
  again,
  ending,
  type HostileAnswer,
  type HostilePage,
  inWorker,
  late,
  script,
  shown,
  unfinished,
} from './hostile-page.ts'

/** HTML of so many bytes, which takes no room in the page. */
const comment =
  (byteCount: number): HostileAnswer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    const piece = 'x'.repeat(2 ** 20)
    let left = byteCount
    const pour = () => {
      while (left > 0) {
        left -= piece.length
        if (!response.write(piece)) return
      }
      response.end('-->')
    }
    response.write('<!--')
    response.on('drain', pour)
    pour()
  }

/** Says something again and again for as long as it is listened to. */
const dripping =
  (everyMs: number, say: (socket: Socket) => void): HostileAnswer =>
  ({ socket }) => {
    const timer = setInterval(() => say(socket), everyMs)
    socket.on('close', () => clearInterval(timer))
  }

export const sizes: HostilePage[] = [
  {
    name: 'four hundred thousand nodes',
    page: ending(`document.body.insertAdjacentHTML('beforeend', '<p hidden>x'.repeat(2e5))`),
    ...shown,
    timeoutMs: 60_000,
  },
  {
    name: 'thirty thousand nested elements',
    page: '<div>'.repeat(30_000),
    // A check of Chromium's own fails now and then when these come in several pieces.
    expected: ['page', 'BROWSER_CRASHED'],
    timeoutMs: 60_000,
  },
  {
    name: 'more nested elements than the browser can handle',
    page: script(`let at = document.body
      ${again(100_000, 'at = at.appendChild(document.createElement("div"))')}`),
    expected: 'BROWSER_CRASHED',
  },
  {
    name: 'a text of a million characters',
    page: ending(`document.body.append('é'.repeat(1e6))`),
    ...shown,
    timeoutMs: 60_000,
  },
  {
    name: 'HTML of five million characters',
    page: ending(`document.body.append(document.createComment('é'.repeat(5e6)))`),
    ...shown,
    timeoutMs: 60_000,
  },
  {
    name: 'HTML of 60 million characters',
    page: script(`document.body.append(document.createComment('x'.repeat(6e7)))`),
    expected: 'RESPONSE_TOO_LARGE',
  },
  {
    name: 'a document of 40 MB, as received',
    page: comment(4e7),
    configurations: { mode: 'documentLoaded' },
    expected: 'RESPONSE_TOO_LARGE',
  },
  {
    name: 'an endless document',
    page: comment(Number.POSITIVE_INFINITY),
    expected: 'RESPONSE_TOO_LARGE',
    timeoutMs: 60_000,
  },
  {
    name: 'a document that arrives byte by byte',
    page: dripping(100, (socket) => {
      const isFirst = socket.bytesWritten === 0
      socket.write(isFirst ? 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n' : 'x')
    }),
    ...late,
  },
  { name: 'no response', page: () => undefined, ...late },
  {
    name: 'endless headers',
    page: dripping(2, (socket) => {
      const isFirst = socket.bytesWritten === 0
      socket.write(isFirst ? 'HTTP/1.1 200 OK\r\n' : `x: ${'x'.repeat(1_000)}\r\n`)
    }),
    expected: 'BAD_RESPONSE',
  },
  {
    name: 'images of 300 MB',
    page: Array.from({ length: 60 }, (_, index) => `<img src="/image?${index}">`).join(''),
    beside: {
      '/image': (_, response) =>
        response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(5e6)),
    },
    configurations: { block_resources: false },
    expected: 'page',
    timeoutMs: 60_000,
  },
  {
    name: 'an endless video that plays by itself',
    page: '<p>before</p><audio autoplay src="/film"></audio><video autoplay muted src="/film"></video>',
    beside: {
      '/film': (_, response) => {
        response.writeHead(200, { 'content-type': 'video/mp4' })
        const pour = () => {
          while (response.write(Buffer.alloc(2 ** 16)));
        }
        response.on('drain', pour)
        pour()
      },
    },
    configurations: { block_resources: false },
    // Whichever comes first, the deadline or the end of what a page may load.
    expected: ['TARGET_TIMEOUT', 'page'],
    timeoutMs: 2_000,
  },
]

const eaten = { expected: 'BROWSER_CRASHED', timeoutMs: 60_000 } as const
const buffers = 'const kept = []; for (;;) kept.push(new Uint8Array(2 ** 24).fill(1))'

/** These take more memory than they may have. */
export const memoryHogs: HostilePage[] = [
  { name: 'endless buffers', page: script(buffers), ...eaten },
  { name: 'endless buffers in a worker', page: unfinished(inWorker(buffers)), ...eaten },
  {
    name: 'endless elements',
    page: script('for (;;) document.body.append(document.createElement("div"), "some text")'),
    ...eaten,
  },
  {
    name: 'endless texts',
    page: script(`const kept = []; for (let i = 0; ; i += 1) kept.push(Array(1e6).fill(i).join())`),
    ...eaten,
  },
  {
    name: 'five hundred workers',
    page: unfinished(again(500, inWorker('setInterval(() => {}, 1000)'))),
    ...eaten,
  },
]
/** These have the browser itself keep what they make. */
export const browserHogs: HostilePage[] = [
  {
    name: 'endless blobs',
    page: unfinished(`const kept = []
      setInterval(() => kept.push(new Blob([new Uint8Array(2 ** 24).fill(1)])))`),
    ...eaten,
  },
  {
    name: 'an endless database',
    page: unfinished(`const noise = new Uint8Array(2 ** 22)
      for (let at = 0; at < noise.length; at += 2 ** 16) {
        crypto.getRandomValues(noise.subarray(at, at + 2 ** 16))
      }
      const asked = indexedDB.open('x')
      asked.onupgradeneeded = () => asked.result.createObjectStore('s')
      asked.onsuccess = () => {
        const fill = (i) => {
          const filling = asked.result.transaction('s', 'readwrite')
          filling.objectStore('s').put(noise, i)
          filling.oncomplete = () => fill(i + 1)
        }
        fill(1)
      }`),
    ...eaten,
  },
]
