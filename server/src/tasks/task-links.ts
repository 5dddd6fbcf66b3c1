import type { LinkSigner } from '../runtime/link-signer.ts'

/** Absolute links to the parts of a task, for callers and receivers. */
export interface TaskLinks {
  result(taskId: string): string
  job(taskId: string): string
  /** A signed link: it opens the image without credentials while the result is kept. */
  screenshot(taskId: string): string
  isSignedForScreenshot(taskId: string, signature: string): boolean
}

export function createTaskLinks({
  publicUrl,
  linkSigner,
}: {
  publicUrl: () => string
  linkSigner: LinkSigner
}): TaskLinks {
  return {
    result: (taskId) => `${publicUrl()}${statusPath(taskId)}/result`,
    job: (taskId) => `${publicUrl()}/v1/extract/${taskId}`,
    screenshot: (taskId) =>
      `${publicUrl()}${statusPath(taskId)}/screenshot?signature=${linkSigner.sign(imageOf(taskId))}`,
    isSignedForScreenshot: (taskId, signature) => linkSigner.isValid(imageOf(taskId), signature),
  }
}

const imageOf = (taskId: string): string => `screenshot ${taskId}`

export const statusPath = (taskId: string): string => `/api/scraper/scrape/callback/${taskId}`
