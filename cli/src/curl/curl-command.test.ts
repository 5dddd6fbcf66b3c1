import assert from 'node:assert/strict'
import { test } from 'node:test'
import { curlCommand } from './curl-command.ts'

test('a call without a body is a curl command with the key of the shell', () => {
  assert.equal(
    curlCommand({ method: 'GET', url: 'https://a.test/v1/tasks?status=failed&page=1' }),
    `curl --globoff 'https://a.test/v1/tasks?status=failed&page=1' \\
  --header "X-Api-Key: $TRAWL_API_KEY"`,
  )
})

test('a body is sent as JSON, and quotes in it are safe in a shell', () => {
  const body = { url: "https://a.test/?q='$(id)`id`" }

  assert.equal(
    curlCommand({ method: 'POST', url: 'https://a.test/v1/extract', body }),
    `curl --globoff --request POST https://a.test/v1/extract \\
  --header "X-Api-Key: $TRAWL_API_KEY" \\
  --header 'Content-Type: application/json' \\
  --data-raw '{"url":"https://a.test/?q='\\''$(id)\`id\`"}'`,
  )
})

test('a body that is too long for an argument is given on stdin', () => {
  const command = curlCommand({
    method: 'POST',
    url: 'https://a.test/v1/batch',
    body: { urls: Array.from({ length: 5000 }, (_, index) => `https://a.test/page/${index}`) },
  })

  assert.match(command, /--data @- <<'JSON'\n\{"urls":\[.*\]\}\nJSON$/)
})

test('the response of a stream is shown as it comes', () => {
  const url = 'https://a.test/v1/events'

  assert.match(curlCommand({ method: 'GET', url, isStream: true }), /^curl --globoff --no-buffer /)
})
