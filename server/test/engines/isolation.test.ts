/** Isolation: no task sees anything of another, neither afterwards nor at the same time. */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { type TestContext, test } from 'node:test'
import { type BrowserScene, startBrowserScene } from '../support/browser-scene.ts'
import type { PageSite } from '../support/page-site.ts'

const scripted = {
  js_render: true,
  block_resources: false,
  optimizations: { loadOnlySameOriginRequests: false },
}
const looked = { ...scripted, waitForSelector: '#looked' }

/** The same site by another name, which has to be asked first. */
const elsewhere = "location.origin.replace('127.0.0.1', 'localhost') + '/asked-first'"

/** Leaves something in every place that a page has, and looks for it in its next document. */
const leaving = `<!doctype html><body><script type=module>
  const answered = (request) => new Promise((resolve) => { request.onsuccess = resolve })
  document.cookie = 'script=left; max-age=3600'
  localStorage.setItem('left', 'left')
  sessionStorage.setItem('left', 'left')
  window.name = 'left'
  const opening = indexedDB.open('left', 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore('left')
  await answered(opening)
  await (await caches.open('left')).put('/left', new Response('left'))
  await (await navigator.storage.getDirectory()).getFileHandle('left', { create: true })
  await navigator.serviceWorker.register('/service-worker.js').catch(() => undefined)
  await navigator.storage.persist()
  await fetch('/kept')
  await fetch(${elsewhere}, { method: 'PUT' })
  location.href = '/looking'
</script>`

/** Says what a page finds of those that were there before it. */
const looking = `<!doctype html><body><script type=module>
  await fetch('/kept')
  await fetch(${elsewhere}, { method: 'PUT' })
  const files = []
  for await (const name of (await navigator.storage.getDirectory()).keys()) files.push(name)
  const found = {
    cookie: document.cookie,
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    name: window.name,
    databases: (await indexedDB.databases()).map(({ name }) => name),
    caches: await caches.keys(),
    files,
    isPersistent: await navigator.storage.persisted(),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    referrer: document.referrer,
  }
  const said = document.createElement('pre')
  said.id = 'looked'
  said.textContent = JSON.stringify(found)
  document.body.append(said)
</script>`

const nothing = {
  cookie: '',
  local: [],
  session: [],
  name: '',
  databases: [],
  caches: [],
  files: [],
  isPersistent: false,
  workers: 0,
  referrer: '',
}

test('tasks in one browser are isolated', async (t) => {
  const scene = await startBrowserScene(t)

  await t.test('a task finds nothing of the previous task', (t) => leaveAndLook(t, scene))
  await t.test('concurrent tasks on one origin cannot communicate', () => meet(scene))
})

function writePages(site: PageSite): void {
  site.page('/leaving', (request, response) => {
    if (request.headers.authorization === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="left"' }).end()
      return
    }
    const cookies = ['header=left; Max-Age=3600', 'hidden=left; HttpOnly; Max-Age=3600']
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': cookies }).end(leaving)
  })
  site.page('/looking', looking)
  site.page('/kept', (_, response) =>
    response.writeHead(200, { 'cache-control': 'max-age=3600, immutable', etag: '"1"' }).end('x'),
  )
  site.page('/asked-first', (_, response) =>
    response
      .writeHead(200, {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'PUT',
        'access-control-max-age': '600',
      })
      .end(),
  )
  site.page('/private', (_, response) =>
    response.writeHead(401, { 'www-authenticate': 'Basic realm="left"' }).end('<p>closed</p>'),
  )
}

const foundIn = (html: string): typeof nothing =>
  JSON.parse(/<pre[^>]*>(.*?)<\/pre>/s.exec(html)?.[1] ?? '')

async function leaveAndLook(t: TestContext, { site, visit, html }: BrowserScene): Promise<void> {
  writePages(site)
  const withUser = site.url('/leaving').replace('//', '//user:secret@')

  const own = foundIn(await html(withUser, looked))
  const [ownRequest] = site.askedFor('/looking')
  const keptBefore = site.askedFor('/kept').length
  const next = foundIn(await html('/looking', looked))
  await visit('/private', scripted)

  await t.test('the next document of the same task finds the data', () => {
    assert.deepEqual(own, {
      cookie: 'header=left; script=left',
      local: ['left'],
      session: ['left'],
      name: 'left',
      databases: ['left'],
      caches: ['left'],
      files: ['left'],
      isPersistent: false,
      workers: 0,
      referrer: site.url('/leaving'),
    })
    assert.match(ownRequest?.headers.cookie ?? '', /header=left; hidden=left; script=left/)
    assert.match(ownRequest?.headers.authorization ?? '', /^Basic /)
    assert.equal(keptBefore, 1)
  })

  await t.test('the next task finds no cookies, storage, caches, files or window name', () => {
    assert.deepEqual(next, nothing)
    assert.deepEqual(site.askedFor('/service-worker.js'), [])
  })

  await t.test('the next task sends no cookies, credentials or referrer of another', () => {
    const { headers } = site.askedFor('/looking').at(-1) as IncomingMessage
    assert.equal(headers.cookie, undefined)
    assert.equal(headers.authorization, undefined)
    assert.equal(headers.referer, undefined)
    for (const request of site.askedFor('/private')) {
      assert.equal(request.headers.authorization, undefined)
    }
  })

  await t.test('cacheable responses are requested again in full by the next task', () => {
    const kept = site.askedFor('/kept')
    assert.equal(kept.length, 2)
    assert.equal(kept[1]?.headers['if-none-match'], undefined)
    const methods = site.askedFor('/asked-first').map(({ method }) => method)
    assert.deepEqual(methods, ['OPTIONS', 'PUT', 'PUT', 'OPTIONS', 'PUT'])
  })

  await t.test('each task has connections of its own', () => {
    const [own, next] = site.askedFor('/looking').map(({ socket }) => socket)
    assert.equal(own, site.askedFor('/leaving').at(-1)?.socket)
    assert.notEqual(own, next)
  })

  await t.test('cookies, storage, headers and device apply to their task only', async () => {
    const options = {
      ...looked,
      cookies: [{ name: 'given', value: 'x' }],
      localStorage: { given: 'x' },
      device_type: 'mobile',
      keep_headers: true,
    }
    const given = foundIn(await html('/looking', options, { forwardedHeaders: { 'x-given': 'x' } }))
    const after = foundIn(await html('/looking', looked))

    assert.deepEqual([given.cookie, given.local], ['given=x', ['given']])
    assert.deepEqual(after, nothing)
    const [before, last] = site.askedFor('/looking').slice(-2)
    assert.equal(before?.headers['x-given'], 'x')
    assert.equal(last?.headers['x-given'], undefined)
    assert.match(before?.headers['user-agent'] ?? '', /Mobile/)
    assert.doesNotMatch(last?.headers['user-agent'] ?? '', /Mobile/)
  })
}

/** Holds on to everything that pages of one origin share, until it is told that this is enough. */
const host = `<!doctype html><body><script type=module>
  const heard = []
  const channel = new BroadcastChannel('shared')
  channel.onmessage = ({ data }) => {
    if (data === 'welcome') return
    heard.push(data)
    channel.postMessage('welcome')
  }
  addEventListener('storage', ({ key }) => heard.push('storage ' + key))
  document.cookie = 'host=here'
  localStorage.setItem('host', 'here')
  new SharedWorker('/shared-worker.js').port.start()
  navigator.locks.request('shared', () => new Promise(() => undefined))
  await fetch('/note', { method: 'POST', body: URL.createObjectURL(new Blob(['blob'])) })
  const frame = document.createElement('iframe')
  frame.src = '/guest?frame'
  document.body.append(frame)
  await fetch('/enough')
  const said = document.createElement('pre')
  said.id = 'looked'
  said.textContent = JSON.stringify({
    // Which of two channels is heard first is not for anybody to say.
    heard: heard.sort(),
    cookie: document.cookie,
    local: Object.keys(localStorage),
    guest: JSON.parse(frame.contentDocument.querySelector('pre').textContent),
  })
  document.body.append(said)
</script>`

/** Says whom it meets. */
const guest = `<!doctype html><body><script type=module>
  const next = (target) => new Promise((resolve) => {
    target.onmessage = ({ data }) => resolve(data)
  })
  const channel = new BroadcastChannel('shared')
  const welcome = next(channel)
  const noWelcome = new Promise((resolve) => setTimeout(resolve, 1000, 'nobody'))
  const found = { cookie: document.cookie, local: Object.keys(localStorage) }
  channel.postMessage('guest' + location.search)
  localStorage.setItem('guest', 'was here')
  found.host = await Promise.race([welcome, noWelcome])
  found.connections = await next(new SharedWorker('/shared-worker.js').port)
  found.locks = (await navigator.locks.query()).held.length
  const url = await (await fetch('/note')).text()
  found.blob = await fetch(url).then((answer) => answer.text(), () => 'none')
  localStorage.removeItem('guest')
  const said = document.createElement('pre')
  said.id = 'looked'
  said.textContent = JSON.stringify(found)
  document.body.append(said)
  if (location.search === '?frame') await fetch('/guest-is-done')
</script>`

const sharedWorker = `let connections = 0
  onconnect = ({ ports: [port] }) => port.postMessage(connections += 1)`

async function meet({ site, html }: BrowserScene): Promise<void> {
  const hosted = Promise.withResolvers<void>()
  const enough = Promise.withResolvers<void>()
  let note = ''
  site.page('/host', host)
  site.page('/guest', guest)
  site.page('/clearing', (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'clear-site-data': '"*"' }).end(guest)
  })
  site.page('/shared-worker.js', (_, response) =>
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(sharedWorker),
  )
  site.page('/note', (request, response) => {
    request.on('data', (chunk) => {
      note += String(chunk)
    })
    request.on('end', () => response.end(note))
  })
  site.page('/guest-is-done', (_, response) => {
    hosted.resolve()
    response.end()
  })
  site.page('/enough', (_, response) => void enough.promise.then(() => response.end()))

  const hosting = html('/host', looked)
  await hosted.promise
  const strangers = [
    foundIn(await html('/guest', looked)),
    foundIn(await html('/clearing', looked)),
  ]
  enough.resolve()
  const known = foundIn(await hosting)

  const alone = { cookie: '', local: [], host: 'nobody', connections: 1, locks: 0, blob: 'none' }
  assert.deepEqual(strangers, [alone, alone])
  assert.deepEqual(known, {
    heard: ['guest?frame', 'storage guest', 'storage guest'],
    cookie: 'host=here',
    local: ['host'],
    guest: {
      cookie: 'host=here',
      local: ['host'],
      host: 'welcome',
      connections: 2,
      locks: 1,
      blob: 'blob',
    },
  })
}
