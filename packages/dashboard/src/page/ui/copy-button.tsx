import { useSignal } from '@preact/signals'
import { Icon } from './icon.tsx'
import { say } from './toast.tsx'

/** Copies a text, and says so. */
export function CopyButton({ text, label }: { text: () => string; label: string }) {
  const isCopied = useSignal(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text())
    } catch {
      return say('The browser does not let the page copy. Select the text instead.', true)
    }
    isCopied.value = true
    say(`${label}: done.`)
    setTimeout(() => {
      isCopied.value = false
    }, 1_500)
  }
  return (
    <button type="button" class="button small" onClick={copy}>
      <Icon name={isCopied.value ? 'check' : 'copy'} />
      {label}
    </button>
  )
}
