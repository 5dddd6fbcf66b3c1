/** Targets with invalid TLS. */
import { readFileSync } from 'node:fs'
import { createSecureContext, type TlsOptions } from 'node:tls'
import type { HostileOrigin, Stage, Verdict } from './hostile-case.ts'
import { sendRawText, sendResponse } from './raw-responders.ts'
import { startMutePeer, startTlsPeer } from './start-peers.ts'

const certificate = (name: string): string =>
  readFileSync(new URL(`../../outbound/${name}-certificate.pem`, import.meta.url), 'utf8')

const good = certificate('test')
const expired = certificate('expired')
const stranger = certificate('stranger')

/** Certificates that the service must trust, so that each case fails for its own reason. */
export const trustedPem = good + expired

const with_ = (pem: string): TlsOptions => ({ key: pem, cert: pem })

function overTls(
  name: string,
  options: TlsOptions,
  verdict: Verdict = 'TARGET_TLS_FAILED',
  host = '127.0.0.1',
): HostileOrigin {
  const start = async (stage: Stage): Promise<string> => {
    const port = await startTlsPeer(stage, options, sendResponse('<p>secret</p>'))
    stage.dns.set(host, { addresses: ['127.0.0.1'] })
    return `https://${host}:${port}/`
  }
  return { name, group: 'trust', start, verdicts: [verdict], withinMs: 10_000 }
}

export const trustOrigins: HostileOrigin[] = [
  overTls('a good certificate', with_(good), 200),
  overTls('a certificate that nobody vouches for', with_(stranger)),
  overTls('an expired certificate', with_(expired)),
  overTls("another host's certificate", with_(good), 'TARGET_TLS_FAILED', 'other.example.com'),
  overTls('TLS 1.0 and 1.1 alone', {
    ...with_(good),
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  }),
  overTls('HTTP/2 alone', { ...with_(good), ALPNProtocols: ['h2'] }),
  overTls('a server that insists on a name, asked by address', {
    SNICallback: (_name, done) => done(null, createSecureContext(with_(good))),
  }),
  overTls('a certificate of ours demanded', {
    ...with_(good),
    requestCert: true,
    // With TLS 1.3 the refusal comes after the handshake, and a reset may overtake it.
    maxVersion: 'TLSv1.2',
  }),
  {
    name: 'no TLS at all',
    group: 'trust',
    start: async (stage) => {
      const port = await startMutePeer(stage, sendRawText('HTTP/1.1 400 Bad Request\r\n\r\n'))
      return `https://127.0.0.1:${port}/`
    },
    verdicts: ['TARGET_TLS_FAILED'],
    withinMs: 10_000,
  },
  {
    name: 'a handshake that never comes',
    group: 'trust',
    start: async (stage) => `https://127.0.0.1:${await startMutePeer(stage, () => {})}/`,
    verdicts: ['TARGET_TIMEOUT'],
    withinMs: 10_000,
  },
]
