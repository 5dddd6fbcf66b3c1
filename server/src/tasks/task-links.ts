import type { LinkSigner } from '../runtime/link-signer.ts'

export type TaskLinks = ReturnType<typeof createTaskLinks>

/** Absolute links to the parts of a task, for callers and receivers. */
export function createTaskLinks(parts: { publicUrl: () => string; linkSigner: LinkSigner }) {
  const { publicUrl, linkSigner } = parts
  return {
    result: (taskId: string): string => `${publicUrl()}${statusPath(taskId)}/result`,
    job: (taskId: string): string => `${publicUrl()}/v1/extract/${taskId}`,
    /** A signed link: it opens the image without credentials while the result is kept. */
    screenshot: (taskId: string): string =>
      `${publicUrl()}${statusPath(taskId)}/screenshot?signature=${linkSigner.sign(imageOf(taskId))}`,
    isSignedForScreenshot: (taskId: string, signature: string): boolean =>
      linkSigner.isValid(imageOf(taskId), signature),
  }
}

const imageOf = (taskId: string): string => `screenshot ${taskId}`

export const statusPath = (taskId: string): string => `/api/scraper/scrape/callback/${taskId}`
