import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeSnippets } from './code-snippets.ts'

const server = 'http://127.0.0.1:8080/'
const request = {
  operation: 'extract',
  body: {
    url: 'https://example.com/',
    formats: ['markdown'],
    headers: { 'x-quote': `it's "here"` },
    configurations: { js_render: true, cookies: [], viewport: undefined },
    proxy: null,
  },
} as const

test('the TypeScript snippet reads as a person would write it', () => {
  assert.equal(
    codeSnippets.TypeScript(request, server),
    String.raw`import { Trawl } from '@trawl/sdk'

const trawl = new Trawl({
  baseUrl: 'http://127.0.0.1:8080/',
  apiKey: process.env['TRAWL_API_KEY'],
})
const page = await trawl.scrape({
  url: 'https://example.com/',
  formats: ['markdown'],
  headers: { 'x-quote': 'it\'s "here"' },
  configurations: {
    js_render: true,
    cookies: [],
  },
  proxy: null,
})
console.log(page.data)`,
  )
})

test('an extraction that is not waited for is another method of the SDK', () => {
  const body = { ...request.body, processing_mode: 'async' }

  const code = codeSnippets.TypeScript({ operation: 'extract', body }, server)

  assert.match(code, /await trawl\.startScrape\(\{/)
  assert.doesNotMatch(code, /processing_mode/)
})

test('the Python snippet reads as a person would write it, and waits as long as the service may', () => {
  assert.equal(
    codeSnippets.Python({ ...request, body: { ...request.body, timeout: 120_000 } }, server),
    String.raw`import os

import requests

response = requests.post(
    "http://127.0.0.1:8080/v1/extract",
    headers={"X-Api-Key": os.environ["TRAWL_API_KEY"]},
    json={
        "url": "https://example.com/",
        "formats": ["markdown"],
        "headers": {"x-quote": "it's \"here\""},
        "configurations": {
            "js_render": True,
            "cookies": [],
        },
        "proxy": None,
        "timeout": 120000,
    },
    timeout=135,
)
print(response.status_code, response.text)`,
  )
})
