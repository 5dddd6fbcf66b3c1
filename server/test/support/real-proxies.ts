/** Starts real proxy servers from Debian's packages, with the configuration they ship with. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, cp, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { ProxyRoute, ProxyUser } from '../../src/domain/proxy/proxy.ts'
import { type DebianPrograms, findDebianPrograms } from './debian-programs.ts'
import { findFreePort } from './free-port.ts'
import { makeScratchFolder } from './scratch-folder.ts'
import { until } from './until.ts'

export interface RealProxy {
  readonly route: ProxyRoute
  /** Everything it has logged. */
  log(): Promise<string>
  /** Sends SIGKILL. */
  kill(): Promise<void>
}

/** The source address of all their connections, so that targets recognise a proxied request. */
export const proxyAddress = '127.0.0.9'

/** The only user that the proxies accept; squid gets a hash of the password. */
export const proxyUser: ProxyUser = { name: 'trawl', password: 'fish-and-chips' }
const passwordHash = '$apr1$trawltes$FiFUwf8Tq12WdG5aqi4vt1'

interface RealProxyOptions {
  /** Whether the proxy requires the credentials of `proxyUser`. */
  isClosed?: boolean
  /** Ports besides 443 that squid opens tunnels to. */
  tunnelPorts?: number[]
}

type Owner = Pick<TestContext, 'after'>

interface Place extends DebianPrograms {
  folder: string
  port: number
  logFile: string
}

// As root the proxies run as `nobody`, who may not read files of root.
const isRoot = process.getuid?.() === 0
const nobody = 65_534

/** Squid with its shipped `squid.conf`; the test's settings are in `conf.d`, as Debian intends. */
export const startSquid = (
  t: Owner,
  { isClosed = false, tunnelPorts = [] }: RealProxyOptions = {},
): Promise<RealProxy> =>
  start(t, { label: 'squid', protocol: 'http', isClosed }, async (place) => {
    const { pathOf, folder, port, logFile } = place
    const conf = join(folder, 'squid.conf')
    const shipped = await readFile(pathOf('/etc/squid/squid.conf'), 'utf8')
    await writeFile(
      conf,
      shipped
        .replace(/^http_port .*$/m, `http_port 127.0.0.1:${port}`)
        .replace(/^include \/etc\/squid/m, `include ${folder}`)
        .replace(/^coredump_dir .*$/m, `coredump_dir ${folder}`),
    )
    await cp(pathOf('/usr/share/squid'), join(folder, 'share'), { recursive: true })
    await cp(pathOf('/usr/lib/squid/basic_ncsa_auth'), join(folder, 'check-user'))
    await writeFile(join(folder, 'users'), `${proxyUser.name}:${passwordHash}\n`)
    await mkdir(join(folder, 'conf.d'))
    await writeFile(
      join(folder, 'conf.d/test.conf'),
      [
        `pid_filename ${folder}/squid.pid`,
        `unlinkd_program ${pathOf('/usr/lib/squid/unlinkd')}`,
        `access_log stdio:${logFile}`,
        `cache_log ${folder}/cache.log`,
        `error_directory ${folder}/share/errors/templates`,
        `icon_directory ${folder}/share/icons`,
        `mime_table ${folder}/share/mime.conf`,
        `tcp_outgoing_address ${proxyAddress}`,
        'pinger_enable off',
        ...(isRoot ? ['cache_effective_user nobody', 'cache_effective_group nogroup'] : []),
        ...tunnelPorts.map((tunnelPort) => `acl SSL_ports port ${tunnelPort}`),
        ...(isClosed ? squidSignIn(folder) : []),
        '',
      ].join('\n'),
    )
    return [pathOf('/usr/sbin/squid'), '-N', '-n', serviceOf(port), '-f', conf]
  })

/** Squid names its shared memory after this; two servers with the same name would collide. */
const serviceOf = (port: number): string => `trawl${process.pid}x${port}`

/** Removes the shared memory that a killed squid leaves behind. */
async function removeShared(port: number): Promise<void> {
  const files = await readdir('/dev/shm').catch(() => [])
  for (const file of files) {
    if (file.startsWith(`${serviceOf(port)}-`)) await rm(join('/dev/shm', file), { force: true })
  }
}

const squidSignIn = (folder: string): string[] => [
  `auth_param basic program ${folder}/check-user ${folder}/users`,
  'acl known proxy_auth REQUIRED',
  'http_access deny !known',
]

/** Tinyproxy with its shipped `tinyproxy.conf`, changed to the test's paths, port and user. */
export const startTinyproxy = (
  t: Owner,
  { isClosed = false }: RealProxyOptions = {},
): Promise<RealProxy> =>
  start(t, { label: 'tinyproxy', protocol: 'http', isClosed }, async (place) => {
    const { pathOf, folder, port, logFile } = place
    const conf = join(folder, 'tinyproxy.conf')
    const shipped = await readFile(pathOf('/etc/tinyproxy/tinyproxy.conf'), 'utf8')
    const changed = shipped
      .replace(/^User .*$/m, isRoot ? 'User nobody' : '')
      .replace(/^Group .*$/m, isRoot ? 'Group nogroup' : '')
      .replace(/^Port .*$/m, `Port ${port}\nListen 127.0.0.1\nBind ${proxyAddress}`)
      .replace(/^LogFile .*$/m, `LogFile "${logFile}"`)
      .replace(/^PidFile .*$/m, `PidFile "${folder}/tinyproxy.pid"`)
      .replaceAll('"/usr/share/tinyproxy', `"${pathOf('/usr/share/tinyproxy')}`)
    const signIn = `BasicAuth ${proxyUser.name} ${proxyUser.password}\n`
    await writeFile(conf, `${changed}\n${isClosed ? signIn : ''}`)
    return [pathOf('/usr/bin/tinyproxy'), '-d', '-c', conf]
  })

/** Microsocks takes all of its settings as arguments. */
export const startMicrosocks = (
  t: Owner,
  { isClosed = false }: RealProxyOptions = {},
): Promise<RealProxy> =>
  start(t, { label: 'microsocks', protocol: 'socks5', isClosed }, async ({ pathOf, port }) => {
    const place = ['-i', '127.0.0.1', '-p', String(port), '-b', proxyAddress]
    const signIn = ['-u', proxyUser.name, '-P', proxyUser.password]
    return [pathOf('/usr/bin/microsocks'), ...place, ...(isClosed ? signIn : [])]
  })

async function start(
  t: Owner,
  { label, protocol, isClosed }: Pick<ProxyRoute, 'label' | 'protocol'> & { isClosed: boolean },
  prepare: (place: Place) => Promise<string[]>,
): Promise<RealProxy> {
  const debian = await findDebianPrograms({
    name: 'proxies',
    packages: ['squid', 'tinyproxy', 'microsocks'],
    programs: ['/usr/sbin/squid', '/usr/bin/tinyproxy', '/usr/bin/microsocks'],
  })
  const scratch = await makeScratchFolder()
  const folder = scratch.path
  const logFile = join(folder, 'log')
  const port = await findFreePort()
  const command = await prepare({ ...debian, folder, port, logFile })
  const output = await open(logFile, 'a')
  await chmod(folder, 0o755)
  if (isRoot) for (const own of [folder, logFile]) await chown(own, nobody, nobody)
  // The shell kills the proxy when the pipe closes, however this process ends.
  const shell = spawn('sh', ['-c', '"$@" & read gone; kill -KILL $!', 'sh', ...command], {
    stdio: ['pipe', output.fd, output.fd],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LD_LIBRARY_PATH: debian.libraryPath },
  })
  await output.close()
  const ended = once(shell, 'exit')
  const kill = async () => {
    shell.stdin?.end()
    await ended
  }
  t.after(async () => {
    await kill()
    await removeShared(port)
    await scratch[Symbol.asyncDispose]()
  })
  const log = () => readFile(logFile, 'utf8')
  await until(() => isListening(port)).catch(async () => {
    throw new Error(`${label} did not start: ${await log()}`)
  })
  const user = isClosed ? proxyUser : undefined
  return { route: { label, protocol, host: '127.0.0.1', port, user }, log, kill }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isThere = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isThere
}
