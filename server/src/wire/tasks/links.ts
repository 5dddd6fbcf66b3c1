import type { LinkSigner } from '../../runtime/crypto/link-signer.ts'

export type TaskLinks = ReturnType<typeof createTaskLinks>

/** What a signed link opens. */
export type LinkedPart = 'screenshot' | 'file'

/** Absolute links to the parts of a task, for callers and receivers. */
export function createTaskLinks(parts: { publicUrl: () => string; linkSigner: LinkSigner }) {
  const { publicUrl, linkSigner } = parts
  const signatureFor = (part: LinkedPart, taskId: string) => linkSigner.sign(partOf(part, taskId))
  return {
    result: (taskId: string): string => `${publicUrl()}${statusPath(taskId)}/result`,
    extraction: (taskId: string): string => `${publicUrl()}/v1/extract/${taskId}`,
    /** A signed link: it opens the image without credentials while the result is kept. */
    screenshot: (taskId: string): string =>
      `${publicUrl()}${statusPath(taskId)}/screenshot?signature=${signatureFor('screenshot', taskId)}`,
    /** The same for the file that the target sent. */
    file: (taskId: string): string =>
      `${publicUrl()}/v1/extract/${taskId}/file?signature=${signatureFor('file', taskId)}`,
    isSigned: (part: LinkedPart, taskId: string, signature: string): boolean =>
      linkSigner.isValid(partOf(part, taskId), signature),
  }
}

const partOf = (part: LinkedPart, taskId: string): string => `${part} ${taskId}`

export const statusPath = (taskId: string): string => `/api/scraper/scrape/callback/${taskId}`
