/** Pages that ask, open, leave and lead astray. */
import {
  again,
  ending,
  type HostileAnswer,
  type HostilePage,
  late,
  script,
  shown,
  unfinished,
} from './hostile-page.ts'

export const dialogs: HostilePage[] = [
  {
    name: 'three hundred dialogs',
    page: ending(again(100, `alert(i); confirm(i); prompt(i, 'x'.repeat(1e5))`)),
    ...shown,
  },
  { name: 'endless dialogs', page: script('for (;;) alert(1)'), ...late },
  { name: 'a dialog of 200 MB', page: ending(`alert('x'.repeat(2e8))`), ...shown },
  {
    name: 'a beforeunload dialog',
    page: script('onbeforeunload = () => "stay"; onload = () => { location = "/left" }'),
    beside: { '/left': '<p>left</p>' },
    expected: 'page',
    shows: /left/,
  },
  { name: 'a hundred prints', page: ending(again(100, 'print()')), ...shown },
  {
    name: 'requests for every permission',
    page: script(`
      const only = (value) => (got) => got === value || Promise.reject(got)
      const wishes = {
        geolocation: () => new Promise((yes, no) => navigator.geolocation.getCurrentPosition(yes, no)),
        notifications: () => Notification.requestPermission().then(only('granted')),
        clipboard: () => navigator.clipboard.readText(),
        camera: () => navigator.mediaDevices.getUserMedia({ video: true }),
        microphone: () => navigator.mediaDevices.getUserMedia({ audio: true }),
        screen: () => navigator.mediaDevices.getDisplayMedia(),
        midi: () => navigator.requestMIDIAccess({ sysex: true }),
        storage: () => navigator.storage.persist().then(only(true)),
        idleness: () => IdleDetector.requestPermission().then(only('granted')),
        screens: () => getScreenDetails(),
        fonts: () => queryLocalFonts().then((fonts) => fonts.length > 0 || Promise.reject()),
      }
      p.onclick = async () => {
        document.documentElement.requestFullscreen().catch(() => {})
        document.documentElement.requestPointerLock()
        const outcomes = Object.entries(wishes).map(([name, wish]) =>
          // Nobody is there to be asked, and some wishes wait for somebody.
          Promise.race([(async () => wish())(), new Promise((_, no) => setTimeout(no, 3_000))])
            .then(() => name + ' granted', () => name + ' refused'))
        p.textContent = (await Promise.all(outcomes)).join()
        p.dataset.is = 'done'
      }`),
    configurations: {
      js_scenario: {
        actions: [
          { action: 'click', selector: '#p' },
          { action: 'waitFor', selector: '[data-is=done]' },
        ],
      },
    },
    expected: 'page',
    shows: /<p id="p" data-is="done">(\w+ refused,?){11}<\/p>/,
  },
  {
    name: 'password prompts',
    page: (_, response) =>
      response
        .writeHead(401, { 'www-authenticate': 'Basic realm="x"', 'content-type': 'text/html' })
        .end('<p>who are you?</p><script src="/private"></script>'),
    beside: {
      '/private': (_, response) =>
        response.writeHead(401, { 'www-authenticate': 'Basic realm="y"' }).end(),
    },
    expected: 'page',
    shows: /who are you/,
  },
]

export const windows: HostilePage[] = [
  { name: 'a thousand popups', page: ending(again(1_000, 'open("/other?" + i)')), ...shown },
  {
    name: 'endless popups with noopener',
    page: script('for (;;) open("/other", "_blank", "noopener")'),
    ...late,
  },
  { name: 'a page that closes itself', page: ending('close()'), ...shown },
  {
    name: 'a page that stops its own loading',
    page: unfinished('stop()'),
    expected: 'page',
    shows: /before/,
  },
  {
    name: 'endlessly nested frames',
    page: '<iframe src="/frame?1"></iframe>',
    beside: {
      '/frame': ({ url = '' }, response) =>
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<iframe src="/frame?${Number(url.split('?')[1]) + 1}"></iframe>`),
    },
    ...late,
  },
  {
    name: 'frames that are added and removed endlessly',
    page: script('for (;;) document.body.appendChild(document.createElement("iframe")).remove()'),
    ...late,
  },
  {
    name: 'a hundred sandboxed frames of different sites',
    page: ({ headers: { host = '' } }, response) => {
      const frames = Array.from(
        { length: 100 },
        (_, index) =>
          `<iframe sandbox="allow-scripts" src="http://127.0.1.${index}:${host.split(':')[1]}/other"></iframe>`,
      )
      response.writeHead(200, { 'content-type': 'text/html' }).end(frames.join(''))
    },
    expected: 'page',
  },
  {
    name: 'prerendered pages',
    page: `<p>before</p><script type=speculationrules>{
      "prerender": [{ "source": "list", "urls": ["/other?1", "/other?2"], "eagerness": "immediate" }]
    }</script>`,
    expected: 'page',
    shows: /before/,
  },
]

const attachment: HostileAnswer = (_, response) =>
  response.writeHead(200, { 'content-disposition': 'attachment; filename="a.zip"' }).end('PK')
const pdf: HostileAnswer = (_, response) =>
  response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.4')

export const journeys: HostilePage[] = [
  {
    name: 'a script that reloads the page',
    page: script('location.reload()'),
    expected: 'TOO_MANY_REDIRECTS',
  },
  {
    name: 'a meta refresh to itself',
    page: '<meta http-equiv=refresh content=0>',
    expected: 'TOO_MANY_REDIRECTS',
  },
  {
    name: 'ten thousand entries of history',
    page: ending(
      again(10_000, `try { history.pushState({ i }, '', '?' + i) } catch {} location.hash = i`),
    ),
    ...shown,
  },
  {
    name: 'endless history navigation',
    page: script(`history.pushState(1, ''); history.pushState(2, '')
      setInterval(() => { history.back(); history.forward(); location.hash = Math.random() }, 5)`),
    expected: 'page',
  },
  {
    name: 'a URL and a title that change endlessly',
    page: script(`setInterval(() => {
      document.title = Math.random(); history.replaceState(1, '', '?' + Math.random())
    }, 1)`),
    expected: 'page',
  },
  { name: 'a download instead of a page', page: attachment, expected: 'BAD_RESPONSE' },
  {
    name: 'downloads that the page starts',
    page: ending(`onload = () => { location = '/file' }
      ${again(20, `const a = document.createElement('a'); a.href = '/file?' + i; a.download = 'x'; a.click()`)}`),
    beside: { '/file': attachment },
    ...shown,
  },
  { name: 'a PDF instead of a page', page: pdf, expected: 'BAD_RESPONSE' },
  {
    name: 'a PDF in a page',
    page: '<p>before</p><embed src="/pdf" type="application/pdf"><iframe src="/pdf"></iframe>',
    beside: { '/pdf': pdf },
    expected: 'page',
    shows: /before/,
  },
  {
    name: 'a service worker',
    page: script(`navigator.serviceWorker.register('/worker.js')
      .then(() => { p.textContent = 'registered' }, ({ name }) => { p.textContent = name })`),
    configurations: { mode: 'SPA' },
    expected: 'page',
    shows: /<p id="p">SecurityError/,
  },
]

const forbiddenPlaces = [
  'chrome://crash',
  'chrome://kill',
  'file:///etc/passwd',
  'view-source:http://127.0.0.1/',
  'devtools://devtools/bundled/inspector.html',
  'data:text/html,reached',
  'blob:http://127.0.0.1/x',
  'ftp://127.0.0.1/',
  'mailto:a@example.com',
  'unheard-of:x',
]

export const places: HostilePage[] = [
  ...[...forbiddenPlaces, 'javascript:alert(1)'].map(
    (url): HostilePage => ({
      name: `a redirect to ${url}`,
      page: (_, response) => response.writeHead(302, { location: url }).end(),
      expected: 'URL_NOT_ALLOWED',
    }),
  ),
  ...forbiddenPlaces.map(
    (url): HostilePage => ({
      name: `a script that navigates to ${url}`,
      page: ending(`const url = ${JSON.stringify(url)}
        open(url)
        document.body.appendChild(document.createElement('iframe')).src = url
        location = url`),
      ...shown,
    }),
  ),
  {
    name: 'a meta refresh to chrome://kill',
    page: '<p>before</p><meta http-equiv=refresh content="0;url=chrome://kill">',
    expected: 'page',
    shows: /before/,
  },
  {
    name: 'a script that navigates to about:blank',
    page: script('location = "about:blank"'),
    expected: 'page',
    shows: /^<html><head><\/head><body><\/body><\/html>$/,
  },
]
