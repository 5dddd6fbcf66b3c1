import type { TargetResponse, TaskDetails } from '@trawl/sdk'

type TabbedTask = Pick<TaskDetails, 'status' | 'options' | 'attempt_log' | 'deliveries'>
type TabbedResponse = Pick<TargetResponse, 'headers' | 'screenshot' | 'requests' | 'console'>

/** The tabs of a task that have something to show, in their order. */
export function tabNames(task: TabbedTask, response: TabbedResponse | undefined): TabName[] {
  const isFilled = filledTabs(task, response)
  return (Object.keys(isFilled) as TabName[]).filter((name) => isFilled[name])
}

export type TabName = keyof ReturnType<typeof filledTabs>

function filledTabs(task: TabbedTask, response: TabbedResponse | undefined) {
  const { formats } = task.options
  // A scrape, which has no formats, gives the page itself.
  const has = (format: 'html' | 'markdown') =>
    response !== undefined &&
    (formats.length === 0 ? format === 'html' : formats.includes(format)) &&
    previewFormats(response).length > 0
  return {
    Preview: response !== undefined && previewFormats(response).length > 0,
    Markdown: has('markdown'),
    HTML: has('html') && previewFormats(response).includes('html'),
    JSON: task.status === 'completed' && response !== undefined,
    Screenshot: !!response?.screenshot,
    Headers: response !== undefined,
    Requests: !!response?.requests?.length,
    Console: !!response?.console?.length,
    Attempts: task.attempt_log.length > 0,
    Deliveries: task.deliveries.length > 0,
  }
}

/** What can be shown as a page: markup as it is, text and PDFs as markdown, images and files not. */
export function previewFormats(
  response: Pick<TargetResponse, 'headers'> | undefined,
): ('html' | 'markdown')[] {
  const type = response?.headers['content-type']?.toLowerCase() ?? ''
  if (type === '' || /html/.test(type)) return ['html', 'markdown']
  return /^text\/|json|xml|pdf|javascript/.test(type) ? ['markdown'] : []
}

/** How to get what is not there. */
export function missingNotes(task: TabbedTask, response: TabbedResponse | undefined): string[] {
  if (task.status !== 'completed' || !response) return []
  const names = tabNames(task, response)
  const notes: string[] = []
  if (!names.includes('Markdown') && names.includes('Preview')) {
    notes.push('Markdown as text: ask /v1/extract for the format markdown.')
  }
  if (!names.includes('Screenshot'))
    notes.push(
      'A screenshot: ask for the format screenshot, or configurations.screenshot of a scrape.',
    )
  if (response.requests === null || response.console === null) {
    notes.push('Requests of the page and its console: render it with configurations.debug.')
  }
  return notes
}
