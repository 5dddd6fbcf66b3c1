import { statfs } from 'node:fs/promises'

/** The disk space of the volume that a folder is on; undefined if the folder does not exist. */
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
