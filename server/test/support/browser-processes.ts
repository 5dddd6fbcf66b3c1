/** What the browsers that a process has started leave on the machine. */
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'

export interface BrowserProcessFact {
  pid: number
  /** As its command line says; the browser itself has no type. */
  type: string
}

/** Every browser leads a session, in which its children stay also when it is gone. By session: whose. */
const owners = new Map<number, number>()

/** Only as complete as the browsers were seen while they ran. */
export function listBrowserProcesses(owner = process.pid): BrowserProcessFact[] {
  const facts = listProcesses().flatMap((pid) => {
    const session = sessionOf(pid)
    if (session === undefined) return []
    const commandLine = read(pid, 'cmdline')
    const [, found] = /trawl-browser-(\d+)-/.exec(commandLine) ?? []
    if (found !== undefined) owners.set(session, Number(found))
    return [{ pid, session, type: /--type=([\w-]+)/.exec(commandLine)?.[1] ?? 'browser' }]
  })
  return facts.filter(({ session }) => owners.get(session) === owner)
}

/** Children of this process that have ended and of which it has not taken note. */
export const listZombies = (parent = process.pid): number[] =>
  listProcesses().filter((pid) => {
    const stat = statOf(pid)
    return stat?.state === 'Z' && stat.parent === parent
  })

export const listRenderers = (owner = process.pid): number[] =>
  listBrowserProcesses(owner).flatMap(({ pid, type }) => (type === 'renderer' ? [pid] : []))

export const listBrowsers = (owner = process.pid): number[] =>
  listBrowserProcesses(owner).flatMap(({ pid }) => (sessionOf(pid) === pid ? [pid] : []))

export const listBrowserHomes = (owner = process.pid): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`trawl-browser-${owner}-`))

/** False for one that was just about to end, as its children are when a browser's is killed. */
export function killAtOnce(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}

const listProcesses = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** Undefined for a process that is gone, or has ended and is not yet taken note of by its parent. */
function sessionOf(pid: number): number | undefined {
  const stat = statOf(pid)
  return stat?.state === 'Z' ? undefined : stat?.session
}

function statOf(pid: number): { state: string; parent: number; session: number } | undefined {
  const stat = read(pid, 'stat')
  // The name, in brackets, may have anything in it.
  const [state = '', parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return state === '' ? undefined : { state, parent: Number(parent), session: Number(session) }
}

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}
