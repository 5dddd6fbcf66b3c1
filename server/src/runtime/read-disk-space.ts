import { statfs } from 'node:fs/promises'

/** What the volume under a folder has free for us; undefined where there is no such folder. */
export async function readDiskSpace(
  folder: string,
): Promise<{ freeBytes: number; totalBytes: number } | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  } catch {
    return undefined
  }
}
