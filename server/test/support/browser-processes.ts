/** Lists the processes and profile folders of the browsers that a process has started. */
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'

export interface BrowserProcessFact {
  pid: number
  /** The `--type` of its command line; the main process of a browser has none. */
  type: string
}

/** Owner process by session: each browser leads a session in which its children stay. */
const owners = new Map<number, number>()

/** Finds only browsers that an earlier call or this one has seen while their main process ran. */
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

/** Zombies: children of this process that have ended and that it has not waited for. */
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

/** Returns false if the process has already ended, as children do when their browser is killed. */
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

/** Undefined for a process that has ended, zombies included. */
function sessionOf(pid: number): number | undefined {
  const stat = statOf(pid)
  return stat?.state === 'Z' ? undefined : stat?.session
}

function statOf(pid: number): { state: string; parent: number; session: number } | undefined {
  const stat = read(pid, 'stat')
  // The process name stands in brackets and may itself contain brackets and spaces.
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
