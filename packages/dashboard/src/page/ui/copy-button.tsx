import { useSignal } from '@preact/signals'
import { Icon } from './icon.tsx'
import { say } from './toast.tsx'

function copyOldWay(text: string): boolean {
  const field = Object.assign(document.createElement('textarea'), { value: text })
  const focused = document.activeElement
  document.body.append(field)
  field.select()
  const isDone = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isDone
}

/** Copies a text, and says so. */
export function CopyButton({ text, label }: { text: () => string; label: string }) {
  const isCopied = useSignal(false)
  const copy = async () => {
    const isDone = await navigator.clipboard?.writeText(text()).then(
      () => true,
      () => false,
    )
    // The clipboard is there for https and localhost only.
    if (!isDone && !copyOldWay(text()))
      return say('The browser does not let the page copy. Select the text instead.', true)
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
