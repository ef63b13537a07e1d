import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { CopyButton } from './button.tsx'
import { Segments } from './fields.tsx'

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

/** The same in several languages, by the name of each. */
export function CodeTabs({ label, codes }: { label: string; codes: Readonly<Record<string, string>> }) {
  const names = Object.keys(codes)
  const language = useSignal(names[0] ?? '')
  const text = codes[language.value] ?? ''
  return (
    <>
      <div class="cardhead">
        <Segments
          label="Language"
          options={Object.fromEntries(names.map((name) => [name, name]))}
          value={language.value}
          set={(name) => {
            language.value = name
          }}
        />
        <CopyButton label="Copy code" text={() => text} />
      </div>
      <Code text={text} label={label} />
    </>
  )
}
