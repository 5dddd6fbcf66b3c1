import { readFile } from 'node:fs/promises'

export interface FamilyMember {
  pid: number
  isRenderer: boolean
  residentBytes: number
}

const pageBytes = 4_096
const membersMax = 1_000

/** A browser's processes and what each of them has in memory; nothing where `/proc` does not tell. */
export async function familyOf(pid: number): Promise<FamilyMember[]> {
  const members: FamilyMember[] = []
  const toAsk = [pid]
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
  const [statm, cmdline, children] = await Promise.all([
    read('statm'),
    read('cmdline'),
    read(`task/${pid}/children`),
  ])
  const [, pages] = statm.split(' ')
  const member = pages && {
    pid,
    isRenderer: cmdline.includes('--type=renderer'),
    residentBytes: Number(pages) * pageBytes,
  }
  return {
    member: member || undefined,
    children: children.split(' ').filter(Boolean).map(Number),
  }
}
