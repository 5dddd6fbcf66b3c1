import { CodeBlock } from '../../parts/panel.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import type { PlaygroundRequest } from '../playground-request.ts'
import { codeSnippets, type SnippetLanguage } from './code-snippets.ts'

interface CodeProps {
  request: PlaygroundRequest
  /** The origin of the service, such as `location.origin`. */
  serverUrl: string
}

const languages = Object.keys(codeSnippets) as SnippetLanguage[]

/** The request as code to copy, in each language. */
export function CodeTabs(props: CodeProps) {
  return (
    <Tabs
      label="The same request as code"
      tabs={languages.map((language) => ({
        name: language,
        // An element of its own, as only the chosen tab is drawn and the code may be long.
        content: <Snippet {...props} language={language} />,
      }))}
    />
  )
}

function Snippet({ request, serverUrl, language }: CodeProps & { language: SnippetLanguage }) {
  const code = writeSnippet(language, request, serverUrl)
  if (code === undefined) {
    return <p className="soft">The body is nested too deeply to be shown as code.</p>
  }
  return <CodeBlock label={`The request in ${language}`} text={code} />
}

function writeSnippet(
  language: SnippetLanguage,
  request: PlaygroundRequest,
  serverUrl: string,
): string | undefined {
  try {
    return codeSnippets[language](request, serverUrl)
  } catch (error) {
    // The writers recurse, and a shared link can hold any body.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
