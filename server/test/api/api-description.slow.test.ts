/** The OpenAPI document and the files made from it, compared with what a running service does. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describeApi, isDescribed } from '../../src/http/openapi/describe-api.ts'
import type { Operation } from '../../src/http/openapi/document.ts'
import { listOperations, resolve, resolveOperation } from '../../src/http/openapi/operations.ts'
import { routes } from '../../src/http/routes.ts'
import { basicOf, callApi } from '../support/call-api.ts'
import { type DeliveryClient, startDeliveryScene } from '../support/delivery-scene.ts'
import type { Received } from '../support/test-receiver.ts'
import type { TestAccount } from '../support/test-service.ts'

const document = describeApi(routes)
const unknownId = '01890000-0000-7000-8000-000000000000'

test('the service does what its description says', async (t) => {
  // The password in the example of signing in.
  const password = 'correct horse battery staple'
  const { service, site, createClient } = await startDeliveryScene(t, {
    environment: { TRAWL_PASSWORD: password },
  })
  // The first account, which may call every route.
  const { username = '', apiKey = '' } = service.credentials ?? {}
  const operator = { username, password, apiKey }

  await t.test('every kind of delivery fits its schema and has its headers', async (t) => {
    const client = await createClient(t)
    const { account, receiver, scrape, subscribe } = client
    const { id } = await subscribe({ path: '/extract_completed' })
    await subscribe({ path: '/batch_completed', event_type: 'batch_completed' })
    await subscribe({ path: '/crawl_completed', event_type: 'crawl_completed' })

    await scrape()
    await scrape({ path: '/reset', configurations: { retries: { useRetries: false } } })
    await startJobs(client, site.url('/page/cod'))
    await receiver.arrivals(2, '/extract_completed')
    await receiver.arrivals(2, '/callback')
    await receiver.arrivals(1, '/batch_completed')
    await receiver.arrivals(1, '/crawl_completed')
    await receiver.arrivals(2, '/jobs')
    await account.call(`POST /v1/webhooks/${id}/test`)

    const seen = new Set(receiver.received.map(assertDescribed))
    assert.deepEqual([...seen].sort(), Object.keys(document.webhooks).sort())
  })

  await t.test('the examples of deliveries fit their schemas', () => {
    for (const [name, { post }] of Object.entries(document.webhooks)) {
      const examples = post.requestBody?.content['application/json']?.examples ?? {}
      for (const one of Object.values(examples)) assertFits(name, 'value' in one && one.value)
    }
  })

  await t.test('every request of the .http file is accepted as well-formed', async () => {
    const sent = readHttpFile(operator, site.url(''))

    for (const { name, request, headers, body } of sent) {
      const [method = '', path = ''] = request.split(' ')
      const response = await fetch(service.url + path, { method, headers, body: body ?? null })
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      const text = isStream ? '' : await response.text()
      await response.body?.cancel().catch(() => undefined)

      assert.ok(![400, 401, 403, 405, 413, 415].includes(response.status), `${name}: ${text}`)
      if (!response.ok) assert.doesNotMatch(text, /"detail":\[|no such path/, name)
    }
    assert.ok(sent.length >= routes.filter(isDescribed).length)
  })

  await t.test('errors have the bodies that the document shows', async () => {
    for (const { path, method, operation } of listOperations(document)) {
      const request = `${method.toUpperCase()} ${path}`
      for (const [code, send] of Object.entries(provocations)) {
        const shown = exampleOf(operation, code)
        // Signing in takes no credentials but those in its body.
        const isOpen = operation.security.length === 0
        if (shown === undefined || (code === 'UNAUTHORIZED' && isOpen)) continue
        const { headers, body, path: asked } = send(operation, request, operator)
        const response = await callApi(service.url, asked, { headers, body })
        assert.deepEqual(comparable(response.json()), comparable(shown), `${request} ${code}`)
      }
    }
  })
})

async function startJobs({ account, receiver }: DeliveryClient, url: string): Promise<void> {
  const callback_url = `${receiver.url}/jobs`
  await account.call('POST /v1/batch', { urls: [url, 'http://127.0.0.1:9/'], callback_url })
  await account.call('POST /v1/crawl', { url, depth: 1, callback_url })
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(document, 'api')

function assertFits(name: string, value: unknown): void {
  const schema = document.webhooks[name]?.post.requestBody?.content['application/json']?.schema
  const validate = ajv.compile({ $ref: `api${schema?.['$ref']}` })
  assert.ok(validate(value), `${name}: ${JSON.stringify(validate.errors)}`)
}

/** Checks what arrived against the section `webhooks`; returns its name there. */
function assertDescribed({ json, headers }: Received): string {
  const name = json.event ?? 'scrape_callback'
  assertFits(name, json)
  // The callback of a job carries the headers of a callback.
  const isCallback = json.event !== undefined && json.webhook_id === null
  const delivery = document.webhooks[isCallback ? 'scrape_callback' : name]?.post
  assert.ok(delivery, name)
  const { parameters: described = [] } = resolveOperation(document, delivery)
  for (const one of described) assert.ok(headers[one.name.toLowerCase()], `${name}: ${one.name}`)
  const known = new Set(described.map((one) => one.name.toLowerCase()))
  const signed = Object.keys(headers).filter((one) => /^(x-)?webhook-/.test(one))
  assert.deepEqual(
    signed.filter((one) => !known.has(one)),
    [],
  )
  return name
}

type Caller = Pick<TestAccount, 'username' | 'password' | 'apiKey'>

/** The requests of the file, with the account's credentials and the site instead of example.com. */
function readHttpFile({ apiKey, username, password }: Caller, origin: string) {
  const text = readFileSync(
    new URL('../../../docs/collections/trawl.http', import.meta.url),
    'utf8',
  ).replaceAll('https://example.com', origin)
  const [head = '', ...requests] = text.split(/^### .*\n/m)
  const given = [...head.matchAll(/^@(\w+) = (.*)$/gm)].map(([, name, value]) => [name, value])
  const variables = { ...Object.fromEntries(given), baseUrl: '', apiKey, username, password }
  return requests.map((one) => {
    const filled = one.replace(/\{\{(\w+)\}\}/g, (_, name: string) => variables[name] ?? '')
    const [top = '', body] = filled.split('\n\n', 2)
    const [name = '', request = '', ...lines] = top.trim().split('\n')
    const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]))
    const [scheme, user = '', ...secret] = headers['Authorization']?.split(' ') ?? []
    if (scheme === 'Basic') headers['Authorization'] = basicOf(user, secret.join(' '))
    return { name: name.replace('# @name ', ''), request, headers, body: body || undefined }
  })
}

interface Provocation {
  path: string
  headers: Record<string, string>
  body: unknown
}

const firstBody = ({ requestBody }: Operation): unknown => {
  const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {})
  return example && 'value' in example ? example.value : undefined
}

const withId = (request: string, id: string): string => request.replaceAll(/\{\w+\}/g, id)

/** How to get each failure from any operation that documents it. */
const provocations: Record<
  string,
  (operation: Operation, request: string, account: Caller) => Provocation
> = {
  UNAUTHORIZED: (operation, request) => ({
    path: withId(request, unknownId),
    headers: {},
    body: firstBody(operation),
  }),
  NOT_FOUND: (operation, request, account) => ({
    path: withId(request, unknownId),
    headers: passwordOf(account),
    body: firstBody(operation),
  }),
  UNSUPPORTED_MEDIA_TYPE: (_operation, request, account) => ({
    path: withId(request, unknownId),
    headers: { ...passwordOf(account), 'content-type': 'text/plain' },
    body: 'text',
  }),
  VALIDATION_ERROR: (operation, request, account) => {
    const { detail = [] } = exampleOf(operation, 'VALIDATION_ERROR') as {
      detail?: { loc: string[]; type: string }[]
    }
    const [{ loc = ['body'], type = '' } = {}] = detail
    const [part, name] = loc
    const query = type === 'string_type' ? `?${name}=one&${name}=two` : `?${name}=0`
    const body = operation.requestBody ? (type === 'dict_type' ? [] : {}) : undefined
    return {
      path:
        withId(request, unknownId).replace(unknownId, part === 'path' ? 'nonsense' : unknownId) +
        (part === 'query' ? query : ''),
      headers: passwordOf(account),
      body: part === 'body' ? body : firstBody(operation),
    }
  },
}

const passwordOf = ({ username, password }: Caller) => ({
  authorization: basicOf(username, password),
})

function exampleOf({ responses }: Operation, code: string): Record<string, unknown> | undefined {
  for (const { content } of Object.values(responses)) {
    const shown = content['application/json']?.examples?.[code]
    if (shown === undefined) continue
    return resolve(document.components.examples, shown).value as Record<string, unknown>
  }
  return undefined
}

/** Every request has a correlation id of its own. */
const comparable = (body: Record<string, unknown>): unknown =>
  JSON.parse(JSON.stringify(body, (key, value) => (key === 'correlation_id' ? '' : value)))
