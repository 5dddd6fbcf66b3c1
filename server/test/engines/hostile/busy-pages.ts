/** Pages that work without end, or make others work. */
import {
  again,
  ending,
  type HostilePage,
  inWorker,
  late,
  script,
  shown,
  unfinished,
} from './hostile-page.ts'

export const endlessShader = `
  const gl = document.body.appendChild(document.createElement('canvas')).getContext('webgl2')
  const program = gl?.createProgram()
  for (const [type, source] of [
    ['VERTEX_SHADER', 'void main() { gl_Position = vec4(gl_VertexID % 2 * 4 - 1, gl_VertexID / 2 * 4 - 1, 0, 1); }'],
    ['FRAGMENT_SHADER', 'precision highp float; out vec4 c; void main() { for (int i = 0; i < 2000000000; i++) c += sin(float(i) * gl_FragCoord); }'],
  ]) {
    const shader = gl?.createShader(gl[type])
    gl?.shaderSource(shader, '#version 300 es\\n' + source)
    gl?.compileShader(shader)
    gl?.attachShader(program, shader)
  }
  gl?.linkProgram(program)
  gl?.useProgram(program)
  ${again(100, 'gl?.drawArrays(gl.TRIANGLES, 0, 3)')}
  gl?.finish()`

export const loops: HostilePage[] = [
  { name: 'an endless loop at once', page: script('for (;;) {}'), ...late },
  {
    name: 'an endless loop in a timer',
    page: unfinished('setTimeout(() => { for (;;) {} })'),
    ...late,
  },
  {
    name: 'an endless loop after load',
    page: script('onload = () => { for (;;) {} }'),
    ...late,
  },
  {
    name: 'an endless loop during the wait for quiet',
    page: script('onload = () => setTimeout(() => { for (;;) {} }, 50)'),
    configurations: { mode: 'SPA' },
    ...late,
  },
  {
    name: 'endless promises',
    page: script('const on = () => Promise.resolve().then(on); on()'),
    ...late,
  },
  { name: 'an endless loop in a worker', page: ending(inWorker('for (;;) {}')), ...shown },
  {
    name: 'an endless loop on unload',
    page: ending('onbeforeunload = onpagehide = onunload = () => { for (;;) {} }'),
    ...shown,
  },
  {
    name: 'a synchronous request without a response',
    page: script('const x = new XMLHttpRequest(); x.open("GET", "/never", false); x.send()'),
    ...late,
  },
  { name: 'a thousand breakpoints', page: ending(again(1_000, 'debugger')), ...shown },
  {
    name: 'an SVG that multiplies ten billion times',
    page: `<svg><rect id=g0 width=1 height=1 />${Array.from(
      { length: 10 },
      (_, level) => `<g id=g${level + 1}>${`<use href="#g${level}" />`.repeat(10)}</g>`,
    ).join('')}</svg>`,
    ...late,
  },
  {
    name: 'shaders that never end',
    page: unfinished(endlessShader),
    ...late,
  },
]

export const storms: HostilePage[] = [
  {
    name: 'fifty thousand console messages',
    page: ending(again(50_000, `console.log(i, 'x'.repeat(100))`)),
    configurations: { debug: true },
    ...shown,
    timeoutMs: 60_000,
  },
  {
    name: 'endless console messages',
    page: script(`for (;;) console.log('x'.repeat(1_000))`),
    configurations: { debug: true },
    ...late,
  },
  {
    name: 'a console message of 20 MB',
    page: ending(`console.log('x'.repeat(2e7))`),
    configurations: { debug: true },
    ...shown,
  },
  {
    name: 'three thousand requests',
    page: ending(again(3_000, 'fetch("/never?" + i).catch(() => {})')),
    ...shown,
    timeoutMs: 60_000,
  },
  {
    name: 'ten thousand requests that are answered at once',
    page: unfinished(again(10_000, 'fetch("data:," + i)')),
    expected: 'RESPONSE_TOO_LARGE',
    timeoutMs: 60_000,
  },
  {
    name: 'ten thousand requests of five workers together',
    page: unfinished(again(5, inWorker(again(2_000, 'fetch("data:," + i)')))),
    expected: 'RESPONSE_TOO_LARGE',
    timeoutMs: 60_000,
  },
  {
    name: 'endless requests, one after the other',
    page: script(`const on = () => setTimeout(() => fetch('/other').then(on, on), 50); on(); on()`),
    configurations: { mode: 'SPA', debug: true, collect_data_from_requests: true },
    expected: 'page',
  },
  {
    name: 'URLs that only Chromium accepts',
    page: `<script src="steam://a^b/x.js"></script><script src="android://a<b/"></script>${ending(
      'fetch("drivefs://a b/").catch(() => {}); new Image().src = "steam://a b/"',
    )}`,
    ...shown,
  },
  {
    name: 'URLs of 10 MB',
    page: unfinished(again(8, `fetch('data:,' + i + 'x'.repeat(1e7)).catch(() => {})`)),
    expected: 'RESPONSE_TOO_LARGE',
    timeoutMs: 60_000,
    holdsUpBrowser: true,
  },
  {
    name: 'a thousand WebSockets',
    page: ending(
      again(1_000, `new WebSocket('ws://' + location.host); new EventSource('/never?' + i)`),
    ),
    ...shown,
  },
  {
    name: 'ten thousand cookies and a full storage',
    page: ending(`${again(10_000, `document.cookie = 'c' + i + '=' + 'x'.repeat(4_000)`)}
      try { for (let i = 0; ; i += 1) localStorage['k' + i] = 'x'.repeat(1e5) } catch {}`),
    configurations: { response_format: 'json' },
    ...shown,
  },
  {
    name: 'endless messages between frames',
    page: `<iframe srcdoc="<script>onmessage = (e) => parent.postMessage(e.data, '*')</script>">
      </iframe>${script(`onmessage = (e) => e.source.postMessage(e.data, '*')
      onload = () => { ${again(100, `frames[0].postMessage('x'.repeat(1e5), '*')`)} }`)}`,
    expected: 'page',
  },
  {
    name: 'elements whose names shadow document properties',
    page: ['documentElement', 'URL', 'doctype', 'querySelector', 'body']
      .map((name) => `<p>before</p><img name=${name}>`)
      .join(''),
    configurations: { mode: 'SPA', waitForSelector: 'p' },
    expected: 'page',
    shows: /^<html.*before/s,
  },
  {
    name: 'built-in objects that the page has replaced',
    page: ending(`Object.prototype.toJSON = () => 'x'; Array.prototype.push = JSON.stringify = null
      Document.prototype.querySelector = MutationObserver = XMLSerializer = null
      Object.defineProperty(Element.prototype, 'outerHTML', { get: () => 'lied' })
      performance.now = () => 'x'`),
    configurations: { mode: 'SPA', waitForSelector: 'p' },
    ...shown,
  },
]
