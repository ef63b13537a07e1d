import type { ComponentChildren } from 'preact'

/** Strings, numbers, words that mean something, comments. */
const TOKEN =
  /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(\b\d[\d_.]*\b)|(\b(?:true|false|null|const|await|new|import|from|async|curl)\b)|(\/\/.*)/g

const CLASSES = ['text', 'number', 'word', 'comment'] as const

/** Code or JSON, with a little colour. */
export function Code({ text, label }: { text: string; label: string }) {
  const parts: ComponentChildren[] = []
  let end = 0
  for (const match of text.matchAll(TOKEN)) {
    const kind = CLASSES.find((_, index) => match[index + 1] !== undefined)
    parts.push(text.slice(end, match.index), <span class={`token-${kind}`}>{match[0]}</span>)
    end = match.index + match[0].length
  }
  parts.push(text.slice(end))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <pre class="code" tabIndex={0} aria-label={label} role="region">
      <code>{parts}</code>
    </pre>
  )
}
