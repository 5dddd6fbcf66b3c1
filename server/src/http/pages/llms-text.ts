import type { OpenApiDocument } from '../openapi/document.ts'

/** An index of the service in the form of llmstxt.org: what it is, where its pages are, what it can do. */
export function llmsText(api: OpenApiDocument): string {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      line: `- [${method.toUpperCase()} ${path}](/reference#${operation.operationId}): ${operation.summary}`,
    })),
  )
  const sections = api.tags
    .map(({ name, description }) => {
      const lines = operations.filter(({ tag }) => tag === name).map(({ line }) => line)
      return lines.length > 0 ? `## ${name}\n\n${description}\n\n${lines.join('\n')}\n` : ''
    })
    .filter((section) => section !== '')
  const events = Object.entries(api.webhooks).map(
    ([name, { post }]) => `- [${name}](/reference#${post.operationId}): ${post.summary}`,
  )
  return `# ${api.info.title}

> A self-hosted web scraping service: send a URL, get the page as HTML, Markdown, text or data.

To get one page, \`POST /v1/extract\` with \`{"url": "https://example.com/", "formats": ["markdown"]}\` and the header \`X-Api-Key\`.
Every error is \`{code, message, correlation_id, retryable}\`.

## Documentation

- [Reference](/reference): every operation, body and error code, with forms to try them
- [OpenAPI](/openapi.json): the same for machines, OpenAPI 3.1
- [Capabilities](/capabilities): engines, proxies and limits of this service

${sections.join('\n')}
## Deliveries

What the service posts to your URLs, signed.

${events.join('\n')}
`
}
