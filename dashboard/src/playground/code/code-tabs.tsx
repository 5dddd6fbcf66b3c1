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
      tabs={Object.fromEntries(
        // Elements, as only the chosen tab is drawn and the code may be long.
        languages.map((language) => [
          language,
          <Snippet key={language} {...props} language={language} />,
        ]),
      )}
    />
  )
}

function Snippet({ request, serverUrl, language }: CodeProps & { language: SnippetLanguage }) {
  let code: string
  try {
    code = codeSnippets[language](request, serverUrl)
  } catch (error) {
    // The writers recurse, and a shared link can hold any body.
    if (!(error instanceof RangeError)) throw error
    return <p className="soft">The body is nested too deeply to be shown as code.</p>
  }
  return <CodeBlock label={`The request in ${language}`} text={code} />
}
