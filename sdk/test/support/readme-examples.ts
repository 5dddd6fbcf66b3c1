import { readFileSync } from 'node:fs'

/** The TypeScript examples of the README, in their order, by the heading above them. */
export function readExamples(): { name: string; code: string }[] {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const parts = readme.matchAll(/^## (.+)$|^```ts\n([\s\S]*?)^```$/gm)
  let heading = ''
  const examples: { name: string; code: string }[] = []
  for (const [, title, code] of parts) {
    if (title !== undefined) heading = title
    if (code !== undefined) examples.push({ name: `${heading}, ${examples.length + 1}`, code })
  }
  return examples
}
