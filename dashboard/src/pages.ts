import { type ComponentType, type LazyExoticComponent, lazy } from 'react'

export interface DashboardPage {
  /** The name of its link and its heading. */
  name: string
  path: string
  /** After `g`. */
  key: string
  Content: LazyExoticComponent<ComponentType>
  /** One of what the page lists, at the page's path and an id. */
  detail?: DetailPage
}

interface DetailPage {
  name: string
  Content: LazyExoticComponent<ComponentType<{ id: string }>>
}

/** A page is loaded when it is opened. */
const page = (name: string, key: string, load: Load<object>, detail?: DetailPage) => ({
  name,
  path: `/app/${name.toLowerCase()}`,
  key,
  Content: lazily(load),
  ...(detail && { detail }),
})

type Load<Props> = () => Promise<ComponentType<Props>>

const lazily = <Props>(load: Load<Props>) => lazy(async () => ({ default: await load() }))

/** The pages of the main navigation, in its order. */
export const pages: readonly DashboardPage[] = [
  page('Overview', 'o', async () => (await import('./overview/overview-page.tsx')).OverviewPage),
  page(
    'Playground',
    'p',
    async () => (await import('./playground/playground-page.tsx')).PlaygroundPage,
  ),
  page('Tasks', 't', async () => (await import('./tasks/tasks-page.tsx')).TasksPage, {
    name: 'Task',
    Content: lazily(async () => (await import('./task/task-page.tsx')).TaskPage),
  }),
  page('Jobs', 'j', async () => (await import('./jobs/jobs-page.tsx')).JobsPage, {
    name: 'Job',
    Content: lazily(async () => (await import('./jobs/job-page.tsx')).JobPage),
  }),
  page('Webhooks', 'w', async () => (await import('./webhooks/webhooks-page.tsx')).WebhooksPage, {
    name: 'Webhook',
    Content: lazily(async () => (await import('./webhooks/webhook-detail.tsx')).WebhookDetail),
  }),
  page('Access', 'a', async () => (await import('./access/access-page.tsx')).AccessPage),
  page('Proxies', 'x', async () => (await import('./proxies/proxies-page.tsx')).ProxiesPage),
  page('Domains', 'd', async () => (await import('./domains/domains-page.tsx')).DomainsPage),
  page('System', 's', async () => (await import('./system/system-page.tsx')).SystemPage),
]
