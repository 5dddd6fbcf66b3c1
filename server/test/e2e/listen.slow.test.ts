import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { type RunningProgram, runTrawl } from '../support/run-program.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const body = JSON.stringify({ requestId: '1', status: 'completed' })

interface Receiver {
  url: string
  program: RunningProgram
  /** The messages it printed; a message is printed before its response. */
  messages(): Record<string, unknown>[]
}

async function startReceiver(t: TestContext, ...args: string[]): Promise<Receiver> {
  const cwd = await scratchFolder(t)
  const program = runTrawl(t, ['listen', '--port', '0', '--json', ...args], { cwd })
  const [, url = ''] = await program.whenSaid(/Listening on (http:\S+);/)
  await program.whenSaid(/Ctrl-C/)
  return { url, program, messages: () => lines(program.stdout()).map((line) => JSON.parse(line)) }
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

function signed({ id = 'msg_1', at = new Date(), by = secret } = {}): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign(id, at, body),
  }
}

const post = (url: string, headers: Record<string, string>, sent: string = body) =>
  fetch(url, { method: 'POST', headers, body: sent })

/** Stops it and waits, so that all of its output has arrived. */
async function stop({ program }: Receiver): Promise<void> {
  program.child.kill('SIGTERM')
  assert.equal(await program.whenEnded, 0)
}

const minutesFromNow = (minutes: number): Date => new Date(Date.now() + minutes * 60_000)

test('trawl listen tells valid signatures from changed, expired, foreign and missing ones', async (t) => {
  const receiver = await startReceiver(t, '--secret', secret)
  const other = `whsec_${Buffer.alloc(32, 2).toString('base64')}`

  const answer = await post(receiver.url, signed({ id: 'right' }))
  await post(receiver.url, signed({ id: 'changed' }), body.replace('completed', 'failed'))
  await post(receiver.url, signed({ id: 'old', at: minutesFromNow(-6) }))
  await post(receiver.url, signed({ id: 'new', at: minutesFromNow(6) }))
  await post(receiver.url, signed({ id: 'other', by: other }))
  await post(receiver.url, { 'webhook-id': 'nobody' })
  await stop(receiver)

  assert.equal(answer.status, 204)
  assert.deepEqual(
    receiver
      .messages()
      .map(({ id, signature }) => [id, (signature as { standard: string }).standard]),
    [
      ['right', 'right'],
      ['changed', 'wrong'],
      ['old', 'too old'],
      ['new', 'too new'],
      ['other', 'wrong'],
      ['nobody', 'unsigned'],
    ],
  )
})

test("trawl listen checks a webhook's own signature beside the standard one", async (t) => {
  const receiver = await startReceiver(t, '--secret', secret)
  const hmac = createHmac('sha256', secret).update(body).digest('hex')
  const event = { ...signed(), 'x-webhook-event': 'extract_completed' }

  await post(`${receiver.url}/hook`, { ...event, 'x-webhook-signature': `sha256=${hmac}` })
  await post(receiver.url, { ...event, 'x-webhook-signature': 'sha256=00' })
  await stop(receiver)
  const [first, second] = receiver.messages()

  assert.deepEqual(first?.['signature'], { standard: 'right', vendor: 'right' })
  assert.equal(first?.['path'], '/hook')
  assert.equal(first?.['event'], 'extract_completed')
  assert.deepEqual(first?.['body'], JSON.parse(body))
  assert.deepEqual(second?.['signature'], { standard: 'right', vendor: 'wrong' })
})

test('trawl listen marks a repeated message id', async (t) => {
  const receiver = await startReceiver(t, '--secret', secret)

  for (const id of ['a', 'b', 'a']) await post(receiver.url, signed({ id }))
  await stop(receiver)

  assert.deepEqual(
    receiver.messages().map(({ repeated }) => repeated),
    [false, false, true],
  )
})

test('trawl listen --fail responds with that status and still prints the message', async (t) => {
  const receiver = await startReceiver(t, '--fail', '503')
  const answer = await post(receiver.url, {})
  await stop(receiver)

  assert.equal(answer.status, 503)
  assert.equal(receiver.messages().length, 1)
})

test('trawl listen uses the secret of the local service unless another is given', async (t) => {
  const cwd = await scratchFolder(t)
  await writeFile(join(cwd, 'credentials.json'), JSON.stringify({ callback_secret: secret }))
  const receiver = await startReceiver(t, '--data-dir', cwd)
  await post(receiver.url, signed())
  await stop(receiver)

  assert.match(receiver.program.stderr(), /signatures are checked/)
  assert.deepEqual(receiver.messages()[0]?.['signature'], { standard: 'right', vendor: 'unsigned' })
})

test('trawl listen without a secret says that it verifies nothing', async (t) => {
  const receiver = await startReceiver(t)
  await post(receiver.url, signed())
  await stop(receiver)

  assert.match(receiver.program.stderr(), /signatures are NOT checked/)
  assert.deepEqual(receiver.messages()[0]?.['signature'], {
    standard: 'not checked',
    vendor: 'unsigned',
  })
})

test('trawl listen prints a line and an excerpt without control characters for people', async (t) => {
  const cwd = await scratchFolder(t)
  const program = runTrawl(t, ['listen', '--port', '0', '--secret', secret], { cwd })
  const [, url = ''] = await program.whenSaid(/Listening on (http:\S+);/)
  await program.whenSaid(/Ctrl-C/)

  await post(url, {}, `\u001b[2Jcleared\r\n\u202eturned ${'x'.repeat(2000)}`)
  program.child.kill('SIGINT')
  const code = await program.whenEnded
  const [about = '', excerpt = '', ...more] = lines(program.stdout())

  assert.equal(code, 0)
  assert.match(about, /UNSIGNED/)
  assert.ok(excerpt.startsWith('    \\u{1b}[2Jcleared\\u{d}\\u{a}\\u{202e}turned xxx'), excerpt)
  assert.ok(excerpt.endsWith('…'))
  assert.deepEqual(more, [])
})

test('trawl listen refuses a body of more than 16 MiB and goes on', async (t) => {
  const receiver = await startReceiver(t)
  const large = await post(receiver.url, {}, 'x'.repeat(16 * 1024 * 1024 + 1))
  const small = await post(receiver.url, {})
  await stop(receiver)

  assert.equal(large.status, 413)
  assert.equal(small.status, 204)
  assert.equal(receiver.messages().length, 1)
})

test('trawl listen receives only POST', async (t) => {
  const receiver = await startReceiver(t)
  const answer = await fetch(receiver.url)
  await stop(receiver)

  assert.equal(answer.status, 405)
  assert.deepEqual(receiver.messages(), [])
})

test('trawl listen on a taken port says what to do, exit 69', async (t) => {
  const cwd = await scratchFolder(t)
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const { port } = taken.address() as { port: number }
  const program = runTrawl(t, ['listen', '--port', String(port)], { cwd })

  assert.equal(await program.whenEnded, 69)
  assert.match(program.stderr(), new RegExp(`Port ${port} is in use. Try: npx trawl listen`))
})

test('trawl listen with an invalid port or status is bad usage, exit 2', async (t) => {
  const cwd = await scratchFolder(t)
  const port = runTrawl(t, ['listen', '--port', 'x'], { cwd })
  const status = runTrawl(t, ['listen', '--fail', '700'], { cwd })

  assert.equal(await port.whenEnded, 2)
  assert.equal(await status.whenEnded, 2)
})
