import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestApp, readyBrowser } from '../support/test-app.ts'

test('the front page names the service, its state and an example request', async (t) => {
  const { app } = createTestApp(t, { health: { browser: { ...readyBrowser, state: 'absent' } } })
  const answer = await app.inject({ url: '/', headers: { host: 'foreign.example' } })

  assert.equal(answer.statusCode, 200)
  assert.match(String(answer.headers['content-type']), /^text\/html/)
  assert.match(answer.body, /web scraping service/)
  assert.match(answer.body, /class="state degraded"/)
  assert.match(answer.body, /curl http:\/\/trawl\.test\/api\/scraper\/scrape\/realtime/)
})

test('the front page escapes everything a caller sends and allows no script', async (t) => {
  const { app } = createTestApp(t)
  const answer = await app.inject({ url: '/', headers: { host: 'x"><script>alert(1)</script>' } })

  assert.doesNotMatch(answer.body, /<script/)
  assert.match(String(answer.headers['content-security-policy']), /^default-src 'none'/)
})
