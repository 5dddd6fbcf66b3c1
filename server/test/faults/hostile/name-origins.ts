/** Targets whose DNS name is the attack. */
import type { DnsBehaviour } from '../../support/test-dns.ts'
import type { HostileOrigin, Stage, Verdict } from './hostile-case.ts'
import { html, ok, sendRawText } from './raw-responders.ts'
import { startRespondingPeer } from './start-peers.ts'

function named(
  name: string,
  host: string,
  behaviour: DnsBehaviour,
  verdicts: Verdict[],
  withinMs = 5_000,
): HostileOrigin {
  const start = async (stage: Stage): Promise<string> => {
    stage.dns.set(host, behaviour)
    // Closed after each answer, so that the next request has to ask for the name again.
    const answer = sendRawText(`${ok}${html}connection: close\r\ncontent-length: 3\r\n\r\n<p>`)
    return `http://${host}:${await startRespondingPeer(stage, answer)}/`
  }
  return { name, group: 'names', start, verdicts, withinMs }
}

const nobodyListens = Array.from(
  { length: 1_000 },
  (_, index) => `127.9.${index >> 8}.${index & 255}`,
)

export const nameOrigins: HostileOrigin[] = [
  named('SERVFAIL', 'servfail.example.com', 'SERVFAIL', ['TARGET_DNS_FAILED']),
  named('a name that does not exist', 'nobody.example.com', 'NXDOMAIN', ['TARGET_DNS_FAILED']),
  named('no answer about a name', 'silent.example.com', 'silence', ['TARGET_DNS_FAILED']),
  named('1 000 addresses, none of them there', 'many.example.com', { addresses: nobodyListens }, [
    'TARGET_UNREACHABLE',
  ]),
  named(
    'a name that means itself',
    'loop.example.com',
    { addresses: [], cname: 'loop.example.com' },
    ['TARGET_DNS_FAILED'],
  ),
  named('a private address', 'inside.example.com', { addresses: ['10.0.0.1', 'fd00::1'] }, [
    'URL_NOT_ALLOWED',
  ]),
  named(
    'a name that flips to a private address at once',
    'flips.example.com',
    ({ type, before }) => ({
      addresses: type === 'AAAA' ? [] : [before === 0 ? '127.0.0.1' : '169.254.169.254'],
      ttl: 0,
    }),
    [200, 'URL_NOT_ALLOWED'],
  ),
]
