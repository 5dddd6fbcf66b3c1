import type { PlainCall } from '@trawl/sdk'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { deliveryStatuses, eventTypes } from '../client/api-choices.ts'
import { onService } from '../client/on-service.ts'
import { idArgument } from './arguments.ts'
import { addListCommand } from './list-command.ts'

type Shown = Record<string, unknown>

export function addWebhooksCommand(program: Command): void {
  const webhooks = program.command('webhooks').description('manage webhooks and their deliveries')
  addListCommand<Shown, object>(webhooks, {
    about: 'list the webhooks, newest first; secrets are not shown',
    field: 'items',
    request: () => ({ path: '/v1/webhooks' }),
    row: ({ id, event_type, is_active, url, description }) => {
      return { id, event_type, is_active, url, description }
    },
  })
  onService<[url: string], { event: string; description?: string }>(
    webhooks
      .command('create <url>')
      .description('subscribe a URL to events, and print the secret, once')
      .addOption(eventOption())
      .option('--description <text>', 'free text'),
    ([url], { event, description }) => ({
      method: 'POST',
      path: '/v1/webhooks',
      body: { url, event_type: event, ...(description !== undefined && { description }) },
    }),
    { show: ({ id, event_type, url, secret }) => ({ id, event_type, url, secret }) },
  )
  onService(
    onWebhook(webhooks, 'test').description('send a ping now; exit code 1 if it did not arrive'),
    ([id]) => post(id, 'test'),
    {
      after: ({ delivered }) => {
        if (!delivered) process.exitCode = 1
      },
    },
  )
  onService(
    onWebhook(webhooks, 'rotate-secret').description(
      'give a webhook a new secret and print it, once; the old one stays valid for 24 h',
    ),
    ([id]) => post(id, 'rotate-secret'),
  )
  addListCommand<Shown, { status?: string }>(
    webhooks,
    {
      about: 'list the deliveries of a webhook, newest first',
      field: 'items',
      configure: (command) =>
        command
          .addArgument(webhookArgument())
          .addOption(
            new Option('--status <status>', 'only with this status').choices(deliveryStatuses),
          ),
      request: ([id], { status }) => ({
        path: `${pathOf(String(id))}/deliveries`,
        query: { status },
      }),
      row: ({
        id,
        event_type,
        status,
        attempt_number: attempts,
        http_status: http,
        created_at,
      }) => {
        return { id, event_type, status, attempts, http, created_at }
      },
    },
    'deliveries',
  )
  onService<[id: string, delivery: string]>(
    onWebhook(webhooks, 'redeliver')
      .addArgument(idArgument('delivery_id', 'the delivery'))
      .description('send a delivery once more'),
    ([id, delivery]) => post(id, `deliveries/${delivery}/redeliver`),
  )
  onService<[id: string], { since: string }>(
    onWebhook(webhooks, 'recover')
      .description('send what failed or was skipped since a time, once each')
      .requiredOption('--since <time>', 'ISO 8601, such as 2026-03-02T00:00:00Z', readTime),
    ([id], { since }) => ({ ...post(id, 'recover'), body: { since } }),
  )
}

const pathOf = (id: string): string => `/v1/webhooks/${id}`

const post = (id: string, action: string): PlainCall => ({
  method: 'POST',
  path: `${pathOf(id)}/${action}`,
})

const eventOption = () =>
  new Option('--event <type>', 'which events').choices(eventTypes).default('extract_completed')

const webhookArgument = () => idArgument('webhook_id', 'the webhook')

const onWebhook = (webhooks: Command, name: string): Command =>
  webhooks.command(name).addArgument(webhookArgument())

/** The service wants a zone; a time without one is local, a day begins at midnight UTC. */
function readTime(text: string): string {
  const timeMs = Date.parse(text)
  if (!/^\d{4}-/.test(text) || Number.isNaN(timeMs)) {
    throw new InvalidArgumentError('It must be a time such as 2026-03-02T00:00:00Z.')
  }
  return new Date(timeMs).toISOString()
}
