/** What of a page can be shown as a document. */
export type PreviewFormat = 'html' | 'markdown'

export const previewKinds = ['html', 'markdown', 'screenshot'] as const
