/** What an option of curl means for the request; `none` is only about what curl shows or how it connects. */
export type CurlMeaning = keyof typeof meanings | 'leftOut'

export interface CurlOption {
  name: string
  hasValue: boolean
  meaning: CurlMeaning
}

/** The option by its long name, without dashes. */
export function findCurlOption(name: string): CurlOption | undefined {
  const meaning = meaningByName.get(name)
  if (meaning) return { name, hasValue: valued.has(name), meaning }
  if (valued.has(name)) return { name, hasValue: true, meaning: 'leftOut' }
  if (flags.has(name)) return { name, hasValue: false, meaning: 'leftOut' }
  const isSwitchedOff = name.startsWith('no-') && findCurlOption(name.slice(3))?.hasValue === false
  return isSwitchedOff ? { name, hasValue: false, meaning: 'none' } : undefined
}

export const findLetterOption = (letter: string): CurlOption | undefined => {
  const name = nameByLetter.get(letter)
  return name === undefined ? undefined : findCurlOption(name)
}

const meanings = {
  url: 'url',
  method: 'request',
  header: 'header',
  cookie: 'cookie',
  user: 'user',
  bearer: 'oauth2-bearer',
  userAgent: 'user-agent',
  referer: 'referer',
  range: 'range',
  data: 'data data-ascii',
  rawData: 'data-raw',
  binaryData: 'data-binary',
  encodedData: 'data-urlencode',
  jsonData: 'json',
  queryData: 'url-query',
  formData: 'form form-string',
  getData: 'get',
  head: 'head',
  maxTime: 'max-time',
  globOff: 'globoff',
  nextCall: 'next',
  none: `alpn basic buffer clobber compressed disable fail fail-early fail-with-body http1.1 http2
    http2-prior-knowledge http3 http3-only include keepalive location no-buffer no-clobber
    no-keepalive no-progress-meter no-sessionid progress-bar progress-meter sessionid show-error
    show-headers silent skip-existing ssl ssl-reqd styled-output suppress-connect-headers
    tcp-fastopen tcp-nodelay trace-time tr-encoding verbose`,
}

const meaningByName = new Map(
  Object.entries(meanings).flatMap(([meaning, names]) =>
    names.split(/\s+/).map((name) => [name, meaning as CurlMeaning]),
  ),
)

/** All options of curl that take a value: without this list, values would be taken for URLs. */
const valued = new Set(
  `abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout
  connect-to continue-at cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary
  data-raw data-urlencode delegation dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url
  dump-header ech egd-file engine etag-compare etag-save expect100-timeout form form-string ftp-account
  ftp-alternative-to-user ftp-method ftp-port ftp-ssl-ccc-mode happy-eyeballs-timeout-ms
  haproxy-clientip header help hostpubmd5 hostpubsha256 hsts interface ip-tos ipfs-gateway json
  keepalive-cnt keepalive-time key key-type krb libcurl limit-rate local-port login-options mail-auth
  mail-from mail-rcpt max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer output
  output-dir parallel-max parallel-max-host pass pinnedpubkey preproxy proto proto-default proto-redir
  proxy proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers proxy-crlfile proxy-header
  proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers
  proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user proxy1.0 pubkey quote random-file range
  rate referer request request-target resolve retry retry-delay retry-max-time sasl-authzid
  service-name sigalgs socks4 socks4a socks5 socks5-gssapi-service socks5-hostname speed-limit
  speed-time ssl-sessions stderr telnet-option tftp-blksize time-cond tls-max tls13-ciphers
  tlsauthtype tlspassword tlsuser trace trace-ascii trace-config unix-socket upload-file upload-flags
  url url-query user user-agent variable vlan-priority write-out`.split(/\s+/),
)

/** The flags that change the request or what becomes of it, in a way that a scrape has no option for. */
const flags = new Set(
  `anyauth append ca-native cert-status compressed-ssh create-dirs crlf digest disable-eprt
  disable-epsv disallow-username-in-url doh-cert-status doh-insecure false-start form-escape
  ftp-create-dirs ftp-pasv ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-control haproxy-protocol
  http0.9 http1.0 ignore-content-length insecure ipv4 ipv6 junk-session-cookies list-only
  location-trusted mail-rcpt-allowfails manual metalink mptcp negotiate netrc netrc-optional no-alpn
  no-npn ntlm ntlm-wb out-null parallel parallel-immediate path-as-is post301 post302 post303
  proxy-anyauth proxy-basic proxy-ca-native proxy-digest proxy-http2 proxy-insecure proxy-negotiate
  proxy-ntlm proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tlsv1 proxytunnel raw
  remote-header-name remote-name remote-name-all remote-time remove-on-error retry-all-errors
  retry-connrefused sasl-ir socks5-basic socks5-gssapi socks5-gssapi-nec ssl-allow-beast
  ssl-auto-client-cert ssl-no-revoke ssl-revoke-best-effort sslv2 sslv3 tftp-no-options tls-earlydata
  tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 trace-ids use-ascii version xattr`.split(/\s+/),
)

const nameByLetter = new Map(
  `0 http1.0 1 tlsv1 2 sslv2 3 sslv3 4 ipv4 6 ipv6 : next # progress-bar a append A user-agent
  b cookie B use-ascii c cookie-jar C continue-at d data D dump-header e referer E cert f fail F form
  g globoff G get h help H header i include I head j junk-session-cookies J remote-header-name
  k insecure K config l list-only L location m max-time M manual n netrc N no-buffer o output
  O remote-name p proxytunnel P ftp-port q disable Q quote r range R remote-time s silent S show-error
  t telnet-option T upload-file u user U proxy-user v verbose V version w write-out x proxy X request
  y speed-time Y speed-limit z time-cond Z parallel`
    .match(/\S+\s+\S+/g)
    ?.map((pair) => pair.split(/\s+/) as [string, string]),
)
