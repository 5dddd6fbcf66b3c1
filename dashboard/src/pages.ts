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

/** The pages of the main navigation, in its order. */
export const pages: readonly DashboardPage[] = [
  {
    name: 'Overview',
    path: '/app/overview',
    key: 'o',
    Content: lazy(async () => ({
      default: (await import('./overview/overview-page.tsx')).OverviewPage,
    })),
  },
  {
    name: 'Playground',
    path: '/app/playground',
    key: 'p',
    Content: lazy(async () => ({
      default: (await import('./playground/playground-page.tsx')).PlaygroundPage,
    })),
  },
  {
    name: 'Tasks',
    path: '/app/tasks',
    key: 't',
    Content: lazy(async () => ({ default: (await import('./tasks/tasks-page.tsx')).TasksPage })),
    detail: {
      name: 'Task',
      Content: lazy(async () => ({ default: (await import('./task/task-page.tsx')).TaskPage })),
    },
  },
  {
    name: 'Jobs',
    path: '/app/jobs',
    key: 'j',
    Content: lazy(async () => ({ default: (await import('./jobs/jobs-page.tsx')).JobsPage })),
    detail: {
      name: 'Job',
      Content: lazy(async () => ({ default: (await import('./jobs/job-page.tsx')).JobPage })),
    },
  },
  {
    name: 'Webhooks',
    path: '/app/webhooks',
    key: 'w',
    Content: lazy(async () => ({
      default: (await import('./webhooks/webhooks-page.tsx')).WebhooksPage,
    })),
    detail: {
      name: 'Webhook',
      Content: lazy(async () => ({
        default: (await import('./webhooks/webhook-detail.tsx')).WebhookDetail,
      })),
    },
  },
  {
    name: 'Access',
    path: '/app/access',
    key: 'a',
    Content: lazy(async () => ({
      default: (await import('./access/access-page.tsx')).AccessPage,
    })),
  },
  {
    name: 'Proxies',
    path: '/app/proxies',
    key: 'x',
    Content: lazy(async () => ({
      default: (await import('./proxies/proxies-page.tsx')).ProxiesPage,
    })),
  },
  {
    name: 'Domains',
    path: '/app/domains',
    key: 'd',
    Content: lazy(async () => ({
      default: (await import('./domains/domains-page.tsx')).DomainsPage,
    })),
  },
  {
    name: 'System',
    path: '/app/system',
    key: 's',
    Content: lazy(async () => ({ default: (await import('./system/system-page.tsx')).SystemPage })),
  },
]
