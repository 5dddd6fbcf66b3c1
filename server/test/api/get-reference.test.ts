import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failures } from '../../src/domain/failure.ts'
import { isDescribed } from '../../src/http/openapi/describe-api.ts'
import { routes } from '../../src/http/routes.ts'
import { openTestPage } from '../support/test-browser.ts'
import { startTestService } from '../support/test-service.ts'

test('a browser shows every route and code on the reference page and loads no other origin', async (t) => {
  const { url } = await startTestService(t)
  const page = await openTestPage(t)
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => complaints.push(message.text()))

  await page.goto(`${url}/reference`)
  const text = await page.evaluate('document.body.innerText')

  for (const { path } of routes.filter(isDescribed)) {
    assert.ok(String(text).includes(path.replace(/:(\w+)/g, '{$1}')), path)
  }
  for (const code of Object.keys(failures)) assert.ok(String(text).includes(code), code)
  assert.deepEqual(
    asked.filter((one) => !one.startsWith(`${url}/`) && !one.startsWith('data:')),
    [],
  )
  assert.deepEqual(complaints, [])
})
