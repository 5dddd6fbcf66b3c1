import { type ComponentType, lazy } from 'react'

type Load<Props> = () => Promise<ComponentType<Props>>

/** A page is loaded when it is opened. */
const lazily = <Props>(load: Load<Props>) => lazy(async () => ({ default: await load() }))

/** One of what a page lists, at the page's path and an id. */
const detail = (name: string, load: Load<{ id: string }>) => ({ name, Content: lazily(load) })

/** Its name is that of its link and its heading; `key` opens it, after `g`. */
const page = (
  name: string,
  key: string,
  load: Load<object>,
  ofOne?: ReturnType<typeof detail>,
) => ({ name, key, path: `/app/${name.toLowerCase()}`, Content: lazily(load), detail: ofOne })

/** The pages of the main navigation, in its order. */
export const pages = [
  page('Overview', 'o', async () => (await import('./overview/overview-page.tsx')).OverviewPage),
  page(
    'Playground',
    'p',
    async () => (await import('./playground/playground-page.tsx')).PlaygroundPage,
  ),
  page(
    'Tasks',
    't',
    async () => (await import('./tasks/tasks-page.tsx')).TasksPage,
    detail('Task', async () => (await import('./task/task-page.tsx')).TaskPage),
  ),
  page(
    'Jobs',
    'j',
    async () => (await import('./jobs/jobs-page.tsx')).JobsPage,
    detail('Job', async () => (await import('./jobs/job-page.tsx')).JobPage),
  ),
  page(
    'Webhooks',
    'w',
    async () => (await import('./webhooks/webhooks-page.tsx')).WebhooksPage,
    detail('Webhook', async () => (await import('./webhooks/webhook-detail.tsx')).WebhookDetail),
  ),
  page('Access', 'a', async () => (await import('./access/access-page.tsx')).AccessPage),
  page('Proxies', 'x', async () => (await import('./proxies/proxies-page.tsx')).ProxiesPage),
  page('Domains', 'd', async () => (await import('./domains/domains-page.tsx')).DomainsPage),
  page('System', 's', async () => (await import('./system/system-page.tsx')).SystemPage),
]
