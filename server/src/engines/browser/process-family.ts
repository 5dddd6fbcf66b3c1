import { readdir, readFile } from 'node:fs/promises'

export interface FamilyMember {
  pid: number
  isRenderer: boolean
  residentBytes: number
}

const membersMax = 1_000

/** A browser's processes and what each of them has in memory; nothing where `/proc` does not tell. */
export async function familyOf(pid: number): Promise<FamilyMember[]> {
  const members: FamilyMember[] = []
  // A thread of its own starts some of them; the zygotes, which start the others, have one thread.
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const others = threads.map(Number).filter((thread) => thread !== pid)
  const toAsk = (await Promise.all(others.map((thread) => childrenOf(pid, thread)))).flat()
  toAsk.push(pid)
  while (toAsk.length > 0 && members.length < membersMax) {
    const asked = toAsk.splice(0)
    const found = await Promise.all(asked.map(look))
    for (const { member, children } of found) {
      if (member) members.push(member)
      toAsk.push(...children)
    }
  }
  return members
}

async function look(
  pid: number,
): Promise<{ member: FamilyMember | undefined; children: number[] }> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'latin1').catch(() => '')
  const [status, cmdline, children] = await Promise.all([
    read('status'),
    read('cmdline'),
    childrenOf(pid, pid),
  ])
  // A process that has ended and is not yet taken note of has no memory.
  const [, residentKib] = /^VmRSS:\s*(\d+) kB$/m.exec(status) ?? []
  const member = residentKib && {
    pid,
    isRenderer: cmdline.includes('--type=renderer'),
    residentBytes: Number(residentKib) * 1_024,
  }
  return { member: member || undefined, children }
}

async function childrenOf(pid: number, thread: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${thread}/children`, 'latin1').catch(() => '')
  return children.split(' ').filter(Boolean).map(Number)
}
