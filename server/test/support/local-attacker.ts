import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'

/** Where another process wants to get to by way of ports that are not its own. */
export interface AttackTargets {
  /** `host:port` of a plain site, and of anything that a tunnel could lead to. */
  plain: string
  tunnel: string
}

export interface AttackReply {
  port: number
  request: string
  /** All bytes received before the connection closed. */
  text: string
}

/** As root, the attacker runs as `nobody`, as other programs do; otherwise as the same user. */
const otherUser = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** The attacker's program. It imports none of our files, since `nobody` may not read them. */
const program = `
const { connect } = require('node:net')
const { readFileSync } = require('node:fs')
const { inodes, plain, tunnel, isFlood } = JSON.parse(process.argv[1])
const listening = readFileSync('/proc/net/tcp', 'latin1').split('\\n').slice(1)
  .map((line) => line.trim().split(/ +/))
  .filter(([, local, , state, , , , , , inode]) =>
    state === '0A' && local.startsWith('0100007F:') && inodes.includes(inode))
  .map(([, local]) => Number.parseInt(local.slice(9), 16))
  .filter((port) => ![plain, tunnel].some((aim) => aim.endsWith(':' + port)))
const guess = 'Proxy-Authorization: Basic ' + btoa('page:guess') + '\\r\\n'
const requests = [
  'GET http://' + plain + '/stolen HTTP/1.1\\r\\nHost: ' + plain + '\\r\\n',
  'POST http://' + plain + '/stolen HTTP/1.1\\r\\nHost: ' + plain + '\\r\\nContent-Length: 0\\r\\n',
  'CONNECT ' + plain + ' HTTP/1.1\\r\\nHost: ' + plain + '\\r\\n',
  'CONNECT ' + tunnel + ' HTTP/1.1\\r\\nHost: ' + tunnel + '\\r\\n',
  'GET /stolen HTTP/1.1\\r\\nHost: ' + plain + '\\r\\n',
].flatMap((head) => [head + '\\r\\n', head + guess + '\\r\\n'])
const say = (port, request) => new Promise((resolve) => {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => { text += chunk })
  socket.on('error', () => undefined)
  socket.on('close', () => resolve({ port, request, text }))
  // Where a tunnel was opened it is used.
  socket.write(request + 'GET /stolen HTTP/1.1\\r\\nHost: ' + plain + '\\r\\nConnection: close\\r\\n\\r\\n')
})
const attack = async () => {
  const replies = []
  for (const port of listening) for (const request of requests) replies.push(await say(port, request))
  console.log(JSON.stringify(replies))
}
const flood = async () => {
  let count = 0
  const silent = []
  const one = async (port) => {
    for (;;) {
      await say(port, requests[0])
      silent.push(connect(port, '127.0.0.1').on('error', () => undefined))
      if (silent.length > 2000) silent.shift().destroy()
      count += 1
      if (count === 500) console.log(JSON.stringify(listening))
    }
  }
  for (const port of listening) for (let i = 0; i < 20; i += 1) one(port)
}
if (isFlood) flood()
else attack()
`

/** Finds the ports that this process listens on, as anybody can, and tries to use them as a proxy. */
export async function attackLocalPorts(t: TestContext, aim: AttackTargets): Promise<AttackReply[]> {
  return JSON.parse(await nextLine(startAttacker(t, { ...aim, isFlood: false })))
}

/** Connects to them without pause until it is killed; returns once it is under way. */
export async function floodLocalPorts(t: TestContext, aim: AttackTargets): Promise<number[]> {
  return JSON.parse(await nextLine(startAttacker(t, { ...aim, isFlood: true })))
}

function startAttacker(t: TestContext, aim: AttackTargets & { isFlood: boolean }): ChildProcess {
  const child = spawn(
    process.execPath,
    ['-e', program, JSON.stringify({ ...aim, inodes: ownSocketInodes() })],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: '/',
      ...otherUser,
    },
  )
  const ended = once(child, 'exit')
  t.after(() => {
    child.kill('SIGKILL')
    return ended
  })
  return child
}

async function nextLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('The attacker process has no standard output.')
  const [line] = await once(createInterface({ input: stdout }), 'line')
  return line
}

/** The sockets of this process: what else listens on the machine is left alone. */
function ownSocketInodes(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1] ?? []
    } catch {
      return [] // the descriptor of the listing itself, already closed
    }
  })
}
