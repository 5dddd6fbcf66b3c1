/** Ways in which a page could get to an address that it shall not reach. */

/** Whom a page tries to reach. */
export interface Place {
  /** Host and port, as they stand in a URL. */
  authority: string
  port: number
  http: string
  https: string
  /** A URL of the page's own site that redirects there. */
  redirect: string
  /** A URL of another site that answers so. */
  framed(html: string, headers: Record<string, string>): string
}

type Markup = (place: Place) => string

const run = (code: string): string => `<script>{ ${code} }</script>`
const quietly = (promise: string): string => run(`${promise}.catch(() => undefined)`)
const inFrame = (html: string): string =>
  `<iframe srcdoc="${html.replaceAll('"', '&quot;')}"></iframe>`
const styled = (style: string): string => `<p style="${style}">text</p>`
/** A JavaScript string that may stand in a script. */
const literal = (text: string): string => JSON.stringify(text).replaceAll('</', '<\\/')
const blobOf = (text: string, type: string): string =>
  `URL.createObjectURL(new Blob([${literal(text)}], { type: '${type}' }))`
const worker = (code: string, kind = 'Worker'): string =>
  `new ${kind}(${blobOf(code, 'text/javascript')})`
const blobFrame = (text: string, type: string): string =>
  run(`
    const frame = document.createElement('iframe')
    frame.src = ${blobOf(text, type)}
    document.documentElement.append(frame)
  `)
const clicked = (link: string): string =>
  `${link}${run('document.currentScript.previousElementSibling.click()')}`
/** Done by a frame while it is taken away. */
const whileLeaving = (code: string): string =>
  run(`
    const frame = document.createElement('iframe')
    frame.srcdoc = ${literal(`<script>addEventListener('pagehide', () => { ${code} })</script>`)}
    frame.onload = () => frame.remove()
    document.documentElement.append(frame)
  `)
/** A peer connection, kept from being collected. */
const callOver = (server: string, window = 'self'): string => `
  const call = new ${window}.RTCPeerConnection({
    iceServers: [{ urls: '${server}', username: 'user', credential: 'secret' }],
  })
  call.createDataChannel('x')
  call.createOffer().then((offer) => call.setLocalDescription(offer))
  ;(self.calls ??= []).push(call)
`

const newFrame =
  "document.documentElement.appendChild(document.createElement('iframe')).contentWindow"
/** The same, until everything has been tried. */
const gatheredOver = (server: string, window = 'self'): string => `(async () => {
  const window = ${window}
  ${callOver(server, 'window')}
  await new Promise((resolve) => {
    call.onicegatheringstatechange = () => call.iceGatheringState === 'complete' && resolve()
  })
})()`

const partsOfTheDocument: Record<string, Markup> = {
  img: ({ http }) => `<img src="${http}">`,
  'img srcset': ({ http }) => `<img srcset="${http} 1x, ${http} 2x">`,
  'img by a name': ({ port }) => `<img src="http://canary.example.com:${port}/">`,
  'img by a name that changes its mind': ({ port }) =>
    run(`
      const again = (left) => {
        const image = new Image()
        if (left > 0) image.onerror = () => again(left - 1)
        image.src = 'http://rebinding.example.com:${port}/?' + left
      }
      again(5)
    `),
  'img by a mapped address': ({ port }) => `<img src="http://[::ffff:127.0.0.3]:${port}/">`,
  'picture source': ({ http }) => `<picture><source srcset="${http}"><img></picture>`,
  'input image': ({ http }) => `<input type=image src="${http}">`,
  'table background': ({ http }) => `<table background="${http}"><td>text</table>`,
  script: ({ http }) => `<script src="${http}" async></script>`,
  'module script': ({ http }) => `<script type=module src="${http}"></script>`,
  'svg script': ({ http }) => `<svg><script href="${http}"></script></svg>`,
  'svg image': ({ http }) => `<svg><image href="${http}"></image></svg>`,
  'svg feImage': ({ http }) =>
    `<svg><filter id=f><feImage href="${http}"/></filter><rect width=9 height=9 filter="url(#f)"/></svg>`,
  'svg foreignObject': ({ http }) =>
    `<svg><foreignObject><img src="${http}"></foreignObject></svg>`,
  iframe: ({ http }) => `<iframe src="${http}"></iframe>`,
  'srcdoc iframe': ({ http }) => inFrame(`<img src="${http}">`),
  'sandboxed iframe': ({ http }) => `<iframe sandbox srcdoc="<img src='${http}'>"></iframe>`,
  'data iframe': ({ http }) => `<iframe src="data:text/html,<img src='${http}'>"></iframe>`,
  'javascript iframe': ({ http }) => `<iframe src="javascript:'<img src=${http}>'"></iframe>`,
  'blob iframe': ({ http }) => blobFrame(`<img src="${http}">`, 'text/html'),
  'iframe of another site': ({ http, framed }) =>
    `<iframe src="${framed(`<img src="${http}">`, { 'origin-agent-cluster': '?1' })}"></iframe>`,
  'xml stylesheet': ({ http }) =>
    blobFrame(`<?xml-stylesheet href="${http}" type="text/css"?><a>text</a>`, 'text/xml'),
  object: ({ http }) => `<object data="${http}" type="text/html"></object>`,
  embed: ({ http }) => `<embed src="${http}" type="text/html">`,
  video: ({ http }) => `<video src="${http}" preload=auto></video>`,
  'video poster': ({ http }) => `<video poster="${http}"></video>`,
  audio: ({ http }) => `<audio src="${http}" preload=auto></audio>`,
  track: ({ http }) => `<video crossorigin><track src="${http}" kind=captions default></video>`,
}

const styles: Record<string, Markup> = {
  stylesheet: ({ http }) => `<link rel=stylesheet href="${http}">`,
  'css import': ({ http }) => `<style>@import url(${http});</style>`,
  'css background': ({ http }) => styled(`background: url(${http})`),
  'css image-set': ({ http }) => styled(`background: image-set(url(${http}) 1x)`),
  'css cursor': ({ http }) => styled(`cursor: url(${http}), auto`),
  'css mask': ({ http }) => styled(`mask: url(${http})`),
  'css list-style': ({ http }) => `<ul><li style="list-style: url(${http})">text</ul>`,
  'css shape': ({ http }) => styled(`float: left; shape-outside: url(${http})`),
  'css content': ({ http }) => styled(`content: url(${http})`),
  'css font': ({ http, port }) =>
    `<style>@font-face { font-family: f${port}; src: url(${http}) }</style>
    ${styled(`font-family: f${port}`)}`,
}

const hints: Record<string, Markup> = {
  prefetch: ({ http }) => `<link rel=prefetch href="${http}">`,
  preload: ({ http }) => `<link rel=preload as=image href="${http}">`,
  modulepreload: ({ http }) => `<link rel=modulepreload href="${http}">`,
  'import map': ({ http }) =>
    `<script type=importmap>{"imports":{"mapped":"${http}"}}</script>
    <script type=module>import('mapped').catch(() => undefined)</script>`,
  'preload by a header': ({ http, framed }) =>
    `<iframe src="${framed('text', { link: `<${http}>; rel=preload; as=image` })}"></iframe>`,
  'report of a broken policy': ({ http, framed }) => {
    const policy = `default-src 'none'; report-uri ${http}`
    const url = framed('<img src=/x>', { 'content-security-policy': policy })
    return `<iframe src="${url}"></iframe>`
  },
}

const scripts: Record<string, Markup> = {
  fetch: ({ http }) => quietly(`fetch('${http}')`),
  'fetch https': ({ https }) => quietly(`fetch('${https}')`),
  'fetch without cors': ({ http }) =>
    quietly(`fetch('${http}', { mode: 'no-cors', method: 'POST', body: 'x' })`),
  'fetch keepalive': ({ http }) => quietly(`fetch('${http}', { keepalive: true })`),
  'fetch keepalive on unload': ({ http }) =>
    whileLeaving(`fetch('${http}', { keepalive: true, mode: 'no-cors' })`),
  'fetch later': ({ https }) => whileLeaving(`fetchLater('${https}', { activateAfter: 0 })`),
  XHR: ({ http }) =>
    run(`const xhr = new XMLHttpRequest(); xhr.open('GET', '${http}'); xhr.send()`),
  EventSource: ({ http }) => run(`new EventSource('${http}')`),
  ws: ({ authority }) => run(`new WebSocket('ws://${authority}/')`),
  wss: ({ authority }) => run(`new WebSocket('wss://${authority}/')`),
  'stream of a ws': ({ authority }) =>
    run(`new WebSocketStream('ws://${authority}/').opened.catch(() => undefined)`),
  beacon: ({ http }) => run(`navigator.sendBeacon('${http}', 'x')`),
  'beacon on unload': ({ http }) => whileLeaving(`navigator.sendBeacon('${http}', 'x')`),
  'dynamic import': ({ http }) => quietly(`import('${http}')`),
  'worker fetch': ({ http }) => run(worker(`fetch('${http}')`)),
  'worker XHR': ({ http }) =>
    run(worker(`const x = new XMLHttpRequest(); x.open('GET', '${http}', false); x.send()`)),
  'worker ws': ({ authority }) => run(worker(`new WebSocket('ws://${authority}/')`)),
  'worker importScripts': ({ http }) => run(worker(`importScripts('${http}')`)),
  'worker of a worker': ({ http }) => run(worker(worker(`fetch('${http}')`))),
  'module worker': ({ http }) =>
    run(`new Worker(${blobOf(`import '${http}'`, 'text/javascript')}, { type: 'module' })`),
  'shared worker': ({ http }) => run(worker(`fetch('${http}')`, 'SharedWorker')),
  'paint worklet': ({ http }) => quietly(`CSS.paintWorklet.addModule('${http}')`),
  'audio worklet': ({ http }) =>
    quietly(`new OfflineAudioContext(1, 1, 9000).audioWorklet.addModule('${http}')`),
  'font face': ({ http }) => quietly(`new FontFace('x', 'url(${http})').load()`),
  'identity provider': ({ https }) =>
    run(`
      const providers = [{ configURL: '${https}fedcm.json', clientId: 'x' }]
      navigator.credentials.get({ identity: { providers } }).catch(() => undefined)
    `),
}

const moves: Record<string, Markup> = {
  'form post': ({ http }) =>
    `<iframe name=posted></iframe><form method=post action="${http}" target=posted></form>
    ${run('document.forms[0].submit()')}`,
  'link with a ping': ({ http }) => clicked(`<a href="#here" ping="${http}">here</a>`),
  download: ({ http }) => inFrame(clicked(`<a href="${http}" download>down</a>`)),
  'redirected img': ({ redirect }) => `<img src="${redirect}">`,
  'redirected fetch': ({ redirect }) => quietly(`fetch('${redirect}', { mode: 'no-cors' })`),
  'redirected iframe': ({ redirect }) => `<iframe src="${redirect}"></iframe>`,
  'iframe with meta refresh': ({ http }) =>
    inFrame(`<meta http-equiv=refresh content="0;url=${http}">`),
  'iframe with a script': ({ http }) => inFrame(`<script>location.href = '${http}'</script>`),
}

/** These ask the way out. */
export const guarded: Record<string, Markup> = {
  ...partsOfTheDocument,
  ...styles,
  ...hints,
  ...scripts,
  ...moves,
}

/** These work in a plain browser, and lead nowhere in ours. */
export const shut: Record<string, Markup> = {
  STUN: ({ authority }) => run(callOver(`stun:${authority}`)),
  'TURN over UDP': ({ authority }) => run(callOver(`turn:${authority}?transport=udp`)),
  'TURN over TCP': ({ authority }) => run(callOver(`turn:${authority}?transport=tcp`)),
  'TURN over TLS': ({ authority }) => run(callOver(`turns:${authority}?transport=tcp`)),
  'STUN of a blank frame': ({ authority }) =>
    run(`
      const frame = document.createElement('iframe')
      document.documentElement.append(frame)
      ${callOver(`stun:${authority}`, 'frame.contentWindow')}
    `),
  'STUN of a srcdoc frame': ({ authority }) => inFrame(run(callOver(`stun:${authority}`))),
  'STUN of a sandboxed frame': ({ authority }) =>
    inFrame(run(callOver(`stun:${authority}`))).replace('<iframe', '<iframe sandbox=allow-scripts'),
  'STUN of a frame with a process of its own': ({ authority, framed }) => {
    const headers = { 'origin-agent-cluster': '?1' }
    return `<iframe src="${framed(run(callOver(`stun:${authority}`)), headers)}"></iframe>`
  },
  'STUN of an isolated frame': ({ authority, framed }) => {
    const headers = { 'document-isolation-policy': 'isolate-and-require-corp' }
    return `<iframe src="${framed(run(callOver(`stun:${authority}`)), headers)}"></iframe>`
  },
  WebTransport: ({ https }) => run(`new WebTransport('${https}').ready.catch(() => undefined)`),
  'worker WebTransport': ({ https }) => run(worker(`new WebTransport('${https}')`)),
  'service worker': ({ http }) => {
    const script = `/service-worker.js?${encodeURIComponent(http)}`
    return quietly(`navigator.serviceWorker.register('${script}')`)
  },
  'window.open': ({ http }) => run(`open('${http}')`),
  'window.open without opener': ({ http }) => run(`open('${http}', '_blank', 'noopener')`),
  'img in a window': ({ http }) => run(`open('').document.write('<img src="${http}">')`),
  'STUN of a window': ({ authority }) =>
    run(`const popup = open(''); ${callOver(`stun:${authority}`, 'popup')}`),
  'link to a new window': ({ http }) => clicked(`<a target=_blank href="${http}">out</a>`),
  // The browser itself takes no address space for the right one where there is a proxy between.
  'fetch of an address space': ({ http }) =>
    quietly(`fetch('${http}', { targetAddressSpace: 'loopback' })`),
}

/** Scripts that a caller has a scenario evaluate, each a promise of its end: these work in a plain browser. */
export const evaluated: Record<string, Markup> = {
  'STUN of a scenario': ({ authority }) => gatheredOver(`stun:${authority}`),
  'TURN over UDP of a scenario': ({ authority }) => gatheredOver(`turn:${authority}?transport=udp`),
  'TURN over TCP of a scenario': ({ authority }) => gatheredOver(`turn:${authority}?transport=tcp`),
  "STUN of a scenario's frame": ({ authority }) => gatheredOver(`stun:${authority}`, newFrame),
  'WebTransport of a scenario': ({ https }) => `new WebTransport('${https}').ready`,
  "WebTransport of a scenario's frame": ({ https }) =>
    `(() => { const window = ${newFrame}; return new window.WebTransport('${https}').ready })()`,
}

/** These are not even tried by a plain headless shell; a browser with windows does some of them. */
export const untried: Record<string, Markup> = {
  // Other sites' images in these places are against the rules of the web.
  'svg use': ({ http }) => `<svg><use href="${http}#x"></use></svg>`,
  'css filter': ({ http }) => styled(`filter: url(${http}#x)`),
  'iframe with a user': ({ authority }) =>
    `<iframe src="http://user:secret@${authority}/"></iframe>`,
  'iframe of a source': ({ http }) => `<iframe src="view-source:${http}"></iframe>`,
  'iframe of a file': ({ authority }) => `<iframe src="file://${authority}/x"></iframe>`,
  // The rest is done by parts of a browser that the shell is without.
  preconnect: ({ https }) => `<link rel=preconnect href="${https}">`,
  'dns-prefetch': ({ http }) => `<link rel=dns-prefetch href="${http}">`,
  prerender: ({ http }) => `<link rel=prerender href="${http}">`,
  manifest: ({ http }) => `<link rel=manifest href="${http}">`,
  favicon: ({ http }) => `<link rel=icon href="${http}">`,
  'payment method': ({ https }) =>
    run(`
      const total = { label: 'x', amount: { currency: 'EUR', value: '1' } }
      new PaymentRequest([{ supportedMethods: '${https}pay' }], { total }).canMakePayment()
    `),
}

/** What a site answers to send its visitor away. */
export interface Farewell {
  status?: number
  headers?: Record<string, string>
  body?: string
}

/** Ways in which a document takes its visitor there. */
export const farewells: Record<string, (place: Place) => Farewell> = {
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [
      `a redirect with ${status}`,
      ({ http }: Place) => ({ status, headers: { location: http } }),
    ]),
  ),
  'two redirects': ({ redirect }) => ({ status: 302, headers: { location: redirect } }),
  'a Refresh header': ({ http }) => ({ headers: { refresh: `0;url=${http}` } }),
  'meta refresh': ({ http }) => ({ body: `<meta http-equiv=refresh content="0;url=${http}">` }),
  'location.href': ({ http }) => ({ body: run(`location.href = '${http}'`) }),
  'location.replace': ({ http }) => ({ body: run(`location.replace('${http}')`) }),
  'a script after load': ({ http }) => ({ body: run(`onload = () => { location = '${http}' }`) }),
  'the navigation API': ({ http }) => ({ body: run(`navigation.navigate('${http}')`) }),
  'a form': ({ http }) => ({
    body: `<form method=post action="${http}"></form>${run('document.forms[0].submit()')}`,
  }),
  'a link': ({ http }) => ({ body: clicked(`<a href="${http}">there</a>`) }),
  'a frame of its own': ({ http }) => ({
    body: inFrame(`<script>top.location = '${http}'</script>`),
  }),
  'another name': ({ port }) => ({
    status: 302,
    headers: { location: `http://canary.example.com:${port}/` },
  }),
}
