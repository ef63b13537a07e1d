import { useSignal } from '@preact/signals'
import { CopyButton } from './button.tsx'
import { Segments } from './fields.tsx'

export function Code({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <pre class="code" tabIndex={0} aria-label={label} role="region">
      <code>{text}</code>
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
