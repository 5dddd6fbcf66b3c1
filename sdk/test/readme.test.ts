import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { reachingLoopback } from '../../server/test/support/scrape-calls.ts'
import { scratchFolder } from '../../server/test/support/scratch-folder.ts'
import { startTestService } from '../../server/test/support/test-service.ts'
import { readExamples } from './support/readme-examples.ts'
import { startTrialGateway } from './support/trial-gateway.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

test('every example of the README runs against a service', async (t) => {
  const service = await startTestService(t, { environment: reachingLoopback })
  const { username, password, apiKey } = await service.createAccount()
  await using gateway = await startTrialGateway(service.url)
  const folder = await scratchFolder(t)
  Object.assign(process.env, {
    TRAWL_URL: service.url,
    TRAWL_API_KEY: apiKey,
    TRAWL_USERNAME: username,
    TRAWL_PASSWORD: password,
    WEBHOOK_SECRET: secret,
  })
  const replacements: [from: string, to: string][] = [
    ['@trawl/sdk', new URL('../src/index.ts', import.meta.url).href],
    ['https://example.com/', `${gateway.origin}/site/`],
    ['https://unreachable.example/', `${gateway.origin}/site/reset`],
    ['https://receiver.example/', `${gateway.origin}/receiver/`],
  ]
  const examples = readExamples()
  assert.ok(examples.length >= 8, String(examples.length))

  for (const [index, { name, code }] of examples.entries()) {
    await t.test(name, async () => {
      const path = join(folder, `example-${index}.mts`)
      const here = replacements.reduce((text, [from, to]) => text.replaceAll(from, to), code)
      await writeFile(path, here)

      const { POST: receive } = await import(pathToFileURL(path).href)

      if (receive) await assertReceives(receive)
    })
  }
})

async function assertReceives(receive: (request: Request) => Promise<Response>): Promise<void> {
  const body = JSON.stringify({
    event: 'batch_completed',
    data: { job_id: 'j', status: 'completed' },
  })
  const now = new Date()
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
  }
  const send = (sent: string) =>
    new Request('http://receiver/', { method: 'POST', headers, body: sent })

  assert.equal((await receive(send(body))).status, 204)
  assert.equal((await receive(send(`${body} `))).status, 400)
}
