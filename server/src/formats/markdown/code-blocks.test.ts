import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePage } from '../dom/page-document.ts'
import { toMarkdown } from './to-markdown.ts'

/** How highlighters write code: the name, the HTML, the language, and the lines of the code. */
const blocks: [name: string, html: string, language: string, ...lines: string[]][] = [
  ['a class on the code', '<pre><code class="language-js">a\n  b\n</code></pre>', 'js', 'a', '  b'],
  ['a class on the pre', '<pre class="lang-py"><code>a</code></pre>', 'py', 'a'],
  ['GitHub', '<div class="highlight highlight-source-shell"><pre>a</pre></div>', 'shell', 'a'],
  ['a brush', '<pre class="brush: java; gutter: false">a</pre>', 'java', 'a'],
  [
    'Jekyll with line numbers',
    '<div class="language-ruby highlighter-rouge"><div class="highlight"><pre><code><table class="rouge-table"><tbody><tr><td class="gutter gl"><pre class="lineno">1\n2\n</pre></td><td class="code"><pre>a\nb\n</pre></td></tr></tbody></table></code></pre></div></div>',
    'ruby',
    'a',
    'b',
  ],
  [
    'Hugo with line numbers',
    '<div class="highlight"><table class="lntable"><tr><td class="lntd"><pre class="chroma"><code><span class="lnt">1\n</span><span class="lnt">2\n</span></code></pre></td><td class="lntd"><pre class="chroma"><code class="language-go" data-lang="go"><span class="line"><span class="cl">a\n</span></span><span class="line"><span class="cl">b\n</span></span></code></pre></td></tr></table></div>',
    'go',
    'a',
    'b',
  ],
  [
    'Hugo with numbers in the line',
    '<pre class="chroma"><code data-lang="go"><span class="line"><span class="ln">1</span><span class="cl">a\n</span></span><span class="line"><span class="ln">2</span><span class="cl">b\n</span></span></code></pre>',
    'go',
    'a',
    'b',
  ],
  [
    'Sphinx',
    '<div class="highlight-python3 notranslate"><div class="highlight"><pre><span></span><span class="k">a</span>\n</pre></div></div>',
    'python3',
    'a',
  ],
  [
    'Pandoc',
    '<div class="sourceCode" id="cb1"><pre class="sourceCode r"><code class="sourceCode r"><span id="cb1-1"><a href="#cb1-1" aria-hidden="true"></a>a</span>\n<span id="cb1-2">b</span></code></pre></div>',
    'r',
    'a',
    'b',
  ],
  ['Org mode', '<pre class="src src-emacs-lisp">a</pre>', 'emacs-lisp', 'a'],
  [
    'Hexo',
    '<figure class="highlight css"><table><tr><td class="gutter"><pre><span class="line">1</span><br></pre></td><td class="code"><pre><span class="line">a</span><br><span class="line">b</span><br></pre></td></tr></table></figure>',
    'css',
    'a',
    'b',
  ],
  [
    'Docusaurus',
    '<div class="language-ts codeBlockContainer_x"><pre class="prism-code language-ts"><code><span class="token-line" style="color:#fff">a<br></span><span class="token-line" style="color:#fff"><br></span><span class="token-line">b<br></span></code></pre><button>Copy</button></div>',
    'ts',
    'a',
    '',
    'b',
  ],
  [
    'lines as blocks',
    '<pre data-language="sql"><code><div>a</div><div></div><div>b</div></code></pre>',
    'sql',
    'a',
    '',
    'b',
  ],
  [
    'lines as list items',
    '<pre class="prettyprint lang-c"><ol><li>a</li><li>b</li></ol></pre>',
    'c',
    'a',
    'b',
  ],
  [
    'VitePress',
    '<div class="language-vue"><button class="copy"></button><span class="lang">vue</span><pre class="shiki"><code><span class="line">a</span>\n<span class="line"></span>\n<span class="line">b</span></code></pre></div>',
    'vue',
    'a',
    '',
    'b',
  ],
  [
    'Prism with rows of numbers',
    '<pre class="line-numbers language-php"><code>a\nb<span aria-hidden="true" class="line-numbers-rows"><span></span></span></code></pre>',
    'php',
    'a',
    'b',
  ],
  [
    'SyntaxHighlighter of WordPress',
    '<div class="syntaxhighlighter  csharp"><table><tbody><tr><td class="gutter"><div class="line number1">1</div><div class="line number2">2</div></td><td class="code"><div class="container"><div class="line number1"><code class="csharp plain">a</code></div><div class="line number2"><code class="csharp spaces">&nbsp;&nbsp;</code><code>b</code></div></div></td></tr></tbody></table></div>',
    'csharp',
    'a',
    '  b',
  ],
  [
    'GitLab',
    '<pre class="code highlight" lang="ruby"><code><span id="LC1" class="line" lang="ruby">a</span>\n<span id="LC2" class="line" lang="ruby">b</span></code></pre>',
    'ruby',
    'a',
    'b',
  ],
  ['a wrapper in a human language', '<div class="lang-de"><pre>a</pre></div>', '', 'a'],
  ['no language at all', '<pre>\n\na\tb\n\n</pre>', '', 'a\tb'],
]

for (const [name, html, language, ...lines] of blocks) {
  test(`a code block keeps its lines and language: ${name}`, () => {
    const { document, baseUrl } = parsePage(html, 'https://site.example/')
    assert.ok(document.body)

    const markdown = toMarkdown(document.body, baseUrl)

    assert.equal(markdown, `\`\`\`${language}\n${lines.join('\n')}\n\`\`\`\n`)
  })
}

test('the fence of a code block is longer than any backticks in it', () => {
  const { document } = parsePage('<pre>```\na\n```</pre>', 'https://site.example/')
  assert.ok(document.body)

  assert.equal(toMarkdown(document.body, 'https://site.example/'), '````\n```\na\n```\n````\n')
})
