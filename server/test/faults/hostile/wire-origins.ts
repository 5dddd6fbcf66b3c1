/** Targets that violate or stretch the protocol. */
import {
  answersWith,
  connectsAnd,
  type HostileOrigin,
  isClosed,
  type Stage,
  type Verdict,
} from './hostile-case.ts'
import {
  html,
  ok,
  reset,
  sendEndlessly,
  sendRawText,
  sendRedirect,
  sendResponse,
  type WireAnswer,
} from './raw-responders.ts'

const soonMs = 5_000

const framing = (name: string, answer: WireAnswer, ...verdicts: Verdict[]): HostileOrigin => ({
  name,
  group: 'framing',
  start: answersWith(answer),
  verdicts,
  withinMs: soonMs,
})

const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`
const cutBody = `${ok}content-length: 100\r\n\r\nshort`

/** What comes behind an answer belongs to nobody, whatever it looks like. */
const smuggling: WireAnswer = (socket) => {
  const answer = (body: string) => `${ok}${html}content-length: ${body.length}\r\n\r\n${body}`
  socket.write(answer('asked for') + answer('never ask'))
}

export const wireOrigins: HostileOrigin[] = [
  framing('garbage', sendRawText('\x16\x03\x01 what is this\r\n\r\n'), 'BAD_RESPONSE'),
  framing('no status line', sendRawText('content-type: text/html\r\n\r\nhello'), 'BAD_RESPONSE'),
  framing('no status', sendRawText('HTTP/1.1\r\n\r\n'), 'BAD_RESPONSE'),
  framing('half a status line', sendRawText('HTTP/1.'), 'BAD_RESPONSE'),
  framing('HTTP/0.9', sendRawText('<html>hello</html>'), 'BAD_RESPONSE'),
  framing(
    'status 999',
    sendRawText('HTTP/1.1 999 No\r\ncontent-length: 0\r\n\r\n'),
    'BAD_RESPONSE',
  ),
  framing('a negative length', sendRawText(`${ok}content-length: -5\r\n\r\nhello`), 'BAD_RESPONSE'),
  framing(
    'two lengths',
    sendRawText(`${ok}content-length: 5\r\ncontent-length: 6\r\n\r\nhello!`),
    'BAD_RESPONSE',
  ),
  framing('a length longer than the body', sendRawText(cutBody), 'BAD_RESPONSE'),
  { ...framing('a length shorter than the body', smuggling, 200, 200), isRight: isAskedFor },
  framing(
    'a length and chunks',
    sendRawText(
      `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    ),
    'BAD_RESPONSE',
  ),
  framing(
    'a chunk with a bad size',
    sendRawText(`${chunked}xyz\r\nhello\r\n0\r\n\r\n`),
    'BAD_RESPONSE',
  ),
  framing('chunks without an end', sendRawText(`${chunked}5\r\nhello\r\n`), 'BAD_RESPONSE'),
  framing(
    'chunks of one byte',
    sendEndlessly(chunked, Buffer.from('1\r\nx\r\n'.repeat(9_000))),
    'RESPONSE_TOO_LARGE',
  ),
  framing(
    'a reset inside the body',
    (socket) => socket.write(cutBody, () => socket.resetAndDestroy()),
    'BAD_RESPONSE',
  ),
  framing(
    '1 MB of headers',
    sendRawText(`${ok}x-large: ${'x'.repeat(1e6)}\r\n\r\n`),
    'BAD_RESPONSE',
  ),
  framing(
    '10 000 headers',
    sendRawText(`${ok}${'a: b\r\n'.repeat(10_000)}content-length: 0\r\n\r\n`),
    'BAD_RESPONSE',
  ),
  framing(
    'headers without an end',
    sendEndlessly(ok, Buffer.from('a: b\r\n'.repeat(1_000))),
    'BAD_RESPONSE',
  ),
  framing(
    'a NUL in a header',
    sendRawText(`${ok}x-nul: a\0b\r\ncontent-length: 0\r\n\r\n`),
    'BAD_RESPONSE',
  ),
  framing(
    'a storm of 103',
    sendRawText('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(5_000)),
    'BAD_RESPONSE',
  ),
  framing(
    'a storm of 100',
    sendRawText('HTTP/1.1 100 Continue\r\n\r\n'.repeat(10_000)),
    'BAD_RESPONSE',
  ),
  framing('100 without an answer', sendRawText('HTTP/1.1 100 Continue\r\n\r\n'), 'BAD_RESPONSE'),
  framing(
    'an unsolicited 100 before the answer',
    sendRawText(
      `HTTP/1.1 100 Continue\r\nserver: x\r\n\r\n${ok}${html}content-length: 3\r\n\r\n<p>`,
    ),
    200,
  ),
  framing(
    'another protocol unasked',
    sendRawText('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    'BAD_RESPONSE',
  ),
  framing('a reset instead of an answer', reset, 'TARGET_UNREACHABLE'),
  framing('200 with an empty body', sendResponse(''), 200),
  framing('1 000 cookies', sendResponse('<p>', cookieHeaders(1_000) + html), 200),
  { ...framing('a reset after accept', reset, 'TARGET_UNREACHABLE'), start: connectsAnd(reset) },
  { ...framing('a closed port', reset, 'TARGET_UNREACHABLE'), start: isClosed },
  ...[301, 302, 303, 307, 308].map((status) =>
    redirect(`a loop of ${status}`, status, () => '/', 'TOO_MANY_REDIRECTS'),
  ),
  { ...redirect('eleven hops', 302, () => '', 'TOO_MANY_REDIRECTS'), start: hopsBefore(11) },
  { ...redirect('ten hops', 302, () => '', 200), start: hopsBefore(10) },
  redirect('to a file', 302, () => 'file:///etc/passwd', 'URL_NOT_ALLOWED'),
  redirect('to a private address', 302, () => 'http://10.0.0.1/', 'URL_NOT_ALLOWED'),
  redirect('to metadata', 307, () => 'http://169.254.169.254/latest/', 'URL_NOT_ALLOWED'),
  redirect('to a forbidden port', 302, () => 'http://127.0.0.1:22/', 'URL_NOT_ALLOWED'),
  { ...redirect('to a name that rebinds', 302, () => '', 'URL_NOT_ALLOWED'), start: rebinds },
  redirect('to a Location with a NUL', 302, () => '/a\0b', 'BAD_RESPONSE'),
  redirect('to a Location with a bare CR', 302, () => '/a\rb', 'BAD_RESPONSE'),
  redirect('to what is not a URL', 302, () => 'http://[broken', 'BAD_RESPONSE'),
  {
    ...framing(
      'a Refresh header',
      sendResponse('<p>', `refresh: 0; url=http://10.0.0.1/\r\n${html}`),
      200,
    ),
    group: 'redirects',
  },
  {
    ...framing(
      'a meta refresh',
      sendResponse('<meta http-equiv="refresh" content="0; url=http://10.0.0.1/">'),
      200,
    ),
    group: 'redirects',
  },
]

function isAskedFor({ html: page }: { html: string }): boolean {
  return page === 'asked for'
}

function cookieHeaders(count: number): string {
  return Array.from({ length: count }, (_, index) => `set-cookie: c${index}=1\r\n`).join('')
}

function redirect(
  name: string,
  status: number,
  locationOn: (stage: Stage) => string,
  verdict: Verdict,
): HostileOrigin {
  const start = (stage: Stage) => answersWith(sendRedirect(status, locationOn(stage)))(stage)
  return { name, group: 'redirects', start, verdicts: [verdict], withinMs: soonMs }
}

/** DNS rebinding: redirects to itself under a name that is allowed only for the first lookup. */
async function rebinds(stage: Stage): Promise<string> {
  stage.dns.set('rebinds.example.com', ({ before }) => ({
    addresses: [before === 0 ? '127.0.0.1' : '169.254.169.254'],
    ttl: 0,
  }))
  const answer = 'HTTP/1.1 302 Found\r\nlocation: /again\r\nconnection: close\r\n\r\n'
  const url = new URL(await answersWith(sendRawText(answer))(stage))
  return `http://rebinds.example.com:${url.port}/`
}

/** This many redirects, each with a longer path, then a page. */
function hopsBefore(count: number) {
  return async (stage: Stage): Promise<string> => {
    let hops = 0
    return answersWith((socket) => {
      hops += 1
      if (hops > count) sendResponse('<p>the end</p>')(socket)
      else sendRedirect(302, `/${hops}`)(socket)
    })(stage)
  }
}
