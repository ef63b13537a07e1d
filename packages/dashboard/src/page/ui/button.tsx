import { useSignal } from '@preact/signals'
import type { ButtonHTMLAttributes } from 'preact'
import { Icon, type IconName } from './icon.tsx'
import { attempt, say } from './toast.tsx'

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'class' | 'icon'> {
  icon?: IconName
  /** `primary`, `small`, `quiet`, `danger`. */
  kind?: string
  /** Done on a click. What goes wrong is shown for a few seconds. */
  act?: () => unknown
}

export function Button({ icon, kind = '', act, children, ...others }: ButtonProps) {
  return (
    <button type="button" class={`button ${kind}`} {...others} {...(act && { onClick: () => attempt(act) })}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
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
      throw new Error('The browser does not let the page copy. Select the text instead.')
    isCopied.value = true
    say(`${label}: done.`)
    setTimeout(() => {
      isCopied.value = false
    }, 1_500)
  }
  return (
    <Button kind="small" icon={isCopied.value ? 'check' : 'copy'} act={copy}>
      {label}
    </Button>
  )
}

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
