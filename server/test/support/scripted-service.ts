import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

/** A call that the command line made. */
export interface ScriptedCall {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Record<string, unknown>
}

type Script = (call: ScriptedCall, response: ServerResponse) => void

/** A server that plays the service as the test says, for responses that a real one seldom gives. */
export async function startScriptedService(t: TestContext, script: Script) {
  const calls: ScriptedCall[] = []
  const server = createServer(async (request, response) => {
    const sent = await text(request)
    const call = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: sent === '' ? {} : JSON.parse(sent),
    }
    calls.push(call)
    script(call, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
}

export const respondJson = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

export const respondFailure = (
  response: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
): void => void response.writeHead(status, headers).end(JSON.stringify({ code, message: 'Words.' }))

/** Plays batches whose pages are all completed at once; `markdown` is the content of each page. */
export function scriptedBatches({ markdown = '# Cod' }: { markdown?: string } = {}): Script {
  const batches = new Map<string, string[]>()
  return ({ method, path, headers, body }, response) => {
    if (method === 'POST') {
      const id = scriptedId(batches.size)
      batches.set(id, body['urls'] as string[])
      return respondJson(response, 202, { job_id: id, invalid_urls: [] })
    }
    const id = /[0-9a-f-]{36}/.exec(path)?.[0] ?? ''
    const urls = batches.get(id)
    if (!urls) return respondFailure(response, 404, 'NOT_FOUND')
    if (headers.accept !== 'application/x-ndjson') {
      return respondJson(response, 200, endedBatch(id, urls.length))
    }
    void sendLines(response, urls, markdown)
  }
}

const scriptedId = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** As its own route and that of all jobs show it. */
export const endedBatch = (id: string, total: number) => ({
  job_id: id,
  kind: 'batch',
  counts: { total, completed: total, failed: 0, cancelled: 0, pending: 0 },
  invalid_urls: [],
  status: 'completed',
  batch_config: { all_formats: ['markdown'] },
  total_urls: total,
  completed_urls: total,
  completed_at: '2026-01-01T00:00:00.000Z',
})

export const scriptedResult = (index: number, url: string, markdown: string): string =>
  `${JSON.stringify({ input_index: index, url, status: 'completed', task_id: scriptedId(index), data: { markdown }, metadata: { http_status: 200 } })}\n`

async function sendLines(response: ServerResponse, urls: string[], markdown: string) {
  response.setHeader('content-type', 'application/x-ndjson')
  for (const [index, url] of urls.entries()) {
    if (!response.write(scriptedResult(index, url, markdown))) await once(response, 'drain')
  }
  response.end()
}
