import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { getCrawl } from '../support/crawl-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { connectMcpBy, mcpRevisions } from '../support/mcp-client.ts'
import { startPageSite } from '../support/page-site.ts'
import { childEnvironment, runTrawl } from '../support/run-program.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

test('trawl mcp serves the tools on stdin and stdout', async (t) => {
  const site = await startPageSite(t)
  site.page('/cod', '<h1>Cod</h1>')
  const held = await startHoldingSite(t)
  const { url, createAccount } = await startTestService(t, { environment: reachingLoopback })
  const account = await createAccount()
  const cwd = await scratchFolder(t)

  const start = (key: string, server = url) =>
    new StdioClientTransport({
      command: process.execPath,
      args: [cli, 'mcp', '--server', server],
      env: { ...(childEnvironment() as Record<string, string>), TRAWL_API_KEY: key },
      cwd,
      stderr: 'ignore',
    })

  for (const revision of mcpRevisions) {
    await t.test(`a client of revision ${revision} lists, calls and cancels`, async (t) => {
      const mcp = await connectMcpBy(t, start(account.apiKey), revision)

      const { tools } = await mcp.client.listTools()
      const { output } = await mcp.call('extract', { url: site.url('/cod') })
      const bad = await mcp.call('extract', { url: 'nonsense' })

      assert.equal(tools.length, 11)
      assert.equal(output, '# Cod\n')
      assert.equal(bad.isError, true)
      await assert.rejects(mcp.call('nonsense'), /no such tool/)

      const cancel = new AbortController()
      const seed = held.url(`/${revision}`)
      const called = mcp.call(
        'crawl',
        { url: seed, respect_robots: false, wait: 300 },
        { signal: cancel.signal },
      )
      await held.untilHeld(`/${revision}`)
      const { jobs } = (await account.call('GET /v1/crawl/jobs')).json()

      cancel.abort()

      await assert.rejects(called)
      await until(async () => (await getCrawl(account, jobs[0].job_id)).status === 'cancelled')
    })
  }

  await t.test(
    'a wrong key and a service that is not there are errors of each request',
    async (t) => {
      const send = async (transport: StdioClientTransport) => {
        await transport.start()
        t.after(() => transport.close())
        const received = new Promise<unknown>((resolve) => {
          transport.onmessage = resolve
        })
        await transport.send({ jsonrpc: '2.0', id: 7, method: 'tools/list' })
        return (await received) as { id: number; error: { message: string } }
      }

      const refused = await send(start('wrong-key-wrong-key'))
      const unreachable = await send(start(account.apiKey, 'http://127.0.0.1:1'))

      assert.equal(refused.id, 7)
      assert.match(refused.error.message, /^UNAUTHORIZED: /)
      assert.match(unreachable.error.message, /^No service answers at /)
    },
  )

  await t.test(
    'it ends with its stdin and on SIGTERM, and writes only messages to stdout',
    async (t) => {
      const environment = { TRAWL_API_KEY: account.apiKey }
      const args = ['mcp', '--server', url]
      const ended = runTrawl(t, args, { environment, cwd })
      const terminated = spawn(process.execPath, [cli, ...args], {
        cwd,
        env: { ...childEnvironment(), ...environment },
        stdio: ['pipe', 'ignore', 'pipe'],
      })
      t.after(() => terminated.kill('SIGKILL'))
      const exited = once(terminated, 'exit')

      assert.equal(await ended.whenEnded, 0)
      assert.equal(ended.stdout(), '')
      assert.match(ended.stderr(), /^Relaying MCP messages to http:/)
      await once(terminated.stderr, 'data')
      terminated.kill('SIGTERM')
      assert.deepEqual(await exited, [143, null])
    },
  )
})
