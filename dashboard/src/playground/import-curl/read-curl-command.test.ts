import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCurlCommand } from './read-curl-command.ts'

test('what a browser copies for bash becomes a scrape that sends the same', () => {
  const command = String.raw`curl 'https://shop.example/cart?q=\[a\]' \
  -X 'PUT' \
  -H 'accept: */*' \
  -H 'accept-language: de,en;q=0.9' \
  -b 'id=1; theme=dark' \
  -H 'content-type: application/json' \
  -H 'sec-ch-ua: "Chromium";v="142"' \
  -H $'x-name: J\u00f6rg\'s' \
  --data-raw $'{"text":"it\'s \u0021 \\n"}' \
  --compressed`

  assert.deepEqual(readCurlCommand(command), {
    request: {
      operation: 'extract',
      body: {
        url: 'https://shop.example/cart?q=[a]',
        method: 'PUT',
        headers: {
          accept: '*/*',
          'accept-language': 'de,en;q=0.9',
          'content-type': 'application/json',
          'sec-ch-ua': '"Chromium";v="142"',
          'x-name': "Jörg's",
        },
        body: String.raw`{"text":"it's ! \n"}`,
        configurations: {
          cookies: [
            { name: 'id', value: '1' },
            { name: 'theme', value: 'dark' },
          ],
        },
      },
    },
    leftOut: [],
  })
})

test('what a browser copies for cmd of Windows becomes the same', () => {
  const command = [
    'curl ^"https://shop.example/cart?a=1^&b=^%^20c^" ^',
    '  -H ^"accept: */*^" ^',
    '  -H ^"sec-ch-ua: ^\\^"Chromium^\\^";v=^\\^"142^\\^"^" ^',
    '  --data-raw ^"^{^\\^"path^\\^":^\\^"C:^\\^\\dir^\\^"^',
    '',
    '^}^"',
  ].join('\r\n')

  assert.deepEqual(readCurlCommand(command), {
    request: {
      operation: 'extract',
      body: {
        url: 'https://shop.example/cart?a=1&b=%20c',
        method: 'POST',
        headers: {
          accept: '*/*',
          'sec-ch-ua': '"Chromium";v="142"',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: '{"path":"C:\\\\dir"\n}',
      },
    },
    leftOut: [],
  })
})

test('an older copy for cmd, with plain quotes, is read too', () => {
  const command =
    'curl "https://shop.example/?a=1&b=2" ^\r\n  -H "x-quote: ^ ""a""" ^\r\n  --data-raw "{\\"a\\":1}"'

  const { request } = readCurlCommand(command)

  assert.deepEqual(request?.body['headers'], {
    'x-quote': '^ "a"',
    'content-type': 'application/x-www-form-urlencoded',
  })
  assert.equal(request?.body['body'], '{"a":1}')
})

test('a call of our API becomes its operation with its body, on any host', () => {
  const command = `$ curl -sS https://api.vendor.example/v1/crawl -H 'X-Api-Key: k' \\
    -H 'Idempotency-Key: 7' --json '{"url":"https://a.test/","depth":3}' | jq .`

  assert.deepEqual(readCurlCommand(command), {
    request: { operation: 'crawl', body: { url: 'https://a.test/', depth: 3 } },
    leftOut: [
      'what follows the command: | jq .',
      'the credentials: you are signed in here',
      'the headers idempotency-key',
    ],
  })
})

test('a body that is not for our API is a scrape, or is refused where a key says that it is', () => {
  const other = `curl https://other.example/v1/map -d 'a=b'`
  const broken = `curl https://a.test/v1/map -H 'x-api-key: k' -d '{"url":'`

  assert.equal(readCurlCommand(other).request?.operation, 'extract')
  assert.deepEqual(readCurlCommand(`curl https://a.test/v1/map -H 'x-api-key: k' -d @body.json`), {
    fault: 'The body is in a file, which cannot be read here.',
  })
  assert.deepEqual(readCurlCommand(broken), { fault: 'The body of /v1/map is not a JSON object.' })
})

test('whatever a scrape cannot do is listed', () => {
  const command = `curl -k -x http://proxy:8080 -o out.html --http2 -m 0.5 -F file=@a.png \\
    -H 'Host: other.example' -H 'TE: trailers' -H @headers.txt -b jar.txt -b 'no;ä=1;ok=1' \\
    -d @data.json -u "$NAME:secret" a.test b.test > file 2>/dev/null`

  const { request, leftOut } = readCurlCommand(command) as { request: unknown; leftOut: string[] }

  assert.deepEqual(request, {
    operation: 'extract',
    body: {
      url: 'http://a.test/',
      method: 'POST',
      headers: { authorization: `Basic ${btoa('$NAME:secret')}` },
      configurations: { cookies: [{ name: 'ok', value: '1' }] },
    },
  })
  assert.deepEqual(leftOut, [
    'the value of $NAME',
    'the output to file',
    'the output to /dev/null',
    'the option --insecure',
    'the option --proxy',
    'the option --output',
    'the option --form: multipart bodies',
    'the header @headers.txt',
    'the cookies of the file jar.txt',
    'the data of the file data.json',
    'the further URL b.test',
    'the header host',
    'the header te',
    'the cookie no',
    'the cookie ä=1',
    'the option --max-time: a scrape takes 1 to 300 seconds',
  ])
})

test('the ways in which curl is given data come to what it would send', () => {
  const bodyOf = (options: string) => readCurlCommand(`curl a.test ${options}`).request?.body

  assert.equal(bodyOf('-d a=1 -d b=2')?.['body'], 'a=1&b=2')
  assert.equal(bodyOf('-da=1')?.['method'], 'POST')
  assert.equal(
    bodyOf(`--data-urlencode 'a=b c&d' --data-urlencode '=é'`)?.['body'],
    'a=b%20c%26d&%C3%A9',
  )
  assert.equal(bodyOf('-G -d a=1 --url-query b=2')?.['url'], 'http://a.test/?b=2&a=1')
  assert.equal(bodyOf(`--json '{"a":' --json '1}'`)?.['body'], '{"a":1}')
  assert.equal(bodyOf(`-d @- <<END\na\nb \\$c\nEND`)?.['body'], 'ab $c')
  assert.equal(bodyOf(`--data-binary @- <<-'END'\n\ta\n\tEND`)?.['body'], 'a\n')
  assert.equal(bodyOf(`-d @- <<< 'a  b'`)?.['body'], 'a  b')
  assert.deepEqual(
    bodyOf('-A me -e http://b.test -r 0-9 -H "Empty;" -H "Gone:" -H "A: 1" -H "A: 2"'),
    {
      url: 'http://a.test/',
      headers: {
        'user-agent': 'me',
        referer: 'http://b.test',
        range: 'bytes=0-9',
        empty: '',
        a: '1, 2',
      },
    },
  )
  assert.equal(bodyOf('-sSLm20')?.['timeout'], 20_000)
  assert.equal(bodyOf('-I')?.['method'], undefined)
})

test('what cannot be read is refused with the reason', () => {
  const faultOf = (command: string) => readCurlCommand(command).fault

  assert.equal(faultOf(' '), 'This is not a curl command. It is empty.')
  assert.equal(faultOf('wget a.test'), 'This is not a curl command. It begins with wget.')
  assert.equal(faultOf('curl'), 'The command has no URL.')
  assert.equal(faultOf("curl 'a.test"), "A quote (') is opened and not closed.")
  assert.equal(faultOf('curl "a.test'), 'A quote (") is opened and not closed.')
  assert.equal(faultOf("curl $'a.test\\'"), "A quote ($') is opened and not closed.")
  assert.equal(faultOf('curl a.test -d @- <<END\na'), 'The text after << has no line that is END.')
  assert.equal(faultOf('curl "$(id)"'), 'A command within the command is not run here: $(id)"')
  assert.equal(faultOf('curl `id`'), 'A command within the command is not run here: `id`')
  assert.equal(faultOf('curl --colour a.test'), 'The option --colour is not known.')
  assert.equal(faultOf('curl a.test -H'), 'The option --header has no value.')
  assert.equal(faultOf('curl -X OPTIONS a.test'), 'A scrape cannot send the method OPTIONS.')
  assert.equal(faultOf('curl file:///etc/passwd'), 'Only http and https can be scraped, not file:')
  assert.equal(faultOf('curl http://'), 'This is not a URL: http://')
  assert.equal(faultOf('curl a.test\0'), 'A command has no NUL characters.')
  assert.equal(faultOf(`curl a.test/${'x'.repeat(2 ** 18)}`), 'The command is longer than 256 KiB.')
})
