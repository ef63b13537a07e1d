import { post } from '../data/control.ts'
import { keys, removeFault } from '../data/keys.ts'
import type { AddedFault, ApiKey } from '../data/wire.ts'
import { count } from '../text/format.ts'
import { Button } from '../ui/button.tsx'
import { planText } from './plans.tsx'

/** What shapes every run, on every screen, each with its off switch. Nothing is shown when nothing is switched on. */
export function Strip() {
  const all = keys.value.flatMap(ofAccount)
  if (all.length === 0) return null
  return (
    <aside class="strip" aria-label="What is switched on">
      {all.map(({ text, off }) => (
        <span key={text} class="switched">
          {text}
          <Button icon="close" aria-label={`Switch off: ${text}`} title="Switch off" act={off} />
        </span>
      ))}
    </aside>
  )
}

function ofAccount(key: ApiKey, index: number): { text: string; off: () => unknown }[] {
  if (key.revoked) return []
  const whose = index === 0 ? '' : ` (key ${index + 1})`
  const { webhook = {} } = key
  // A fault that was injected as often as it should does nothing more.
  const on = key.faults.filter(({ fault, used }) => used < (fault.times ?? Number.POSITIVE_INFINITY))
  const faults = on.map((added) => ({
    text: `Fault ${faultText(added)}${whose}`,
    off: () => removeFault(key, added),
  }))
  if (Object.keys(webhook).length === 0) return faults
  return [...faults, { text: `Results: ${planText(webhook)}${whose}`, off: () => post('webhooks', { key: key.key }) }]
}

function faultText({ fault: { kind, route, model, times, probability, when }, used }: AddedFault): string {
  const parts = [
    `${kind} on ${route ?? 'every request'}`,
    model && `of ${model}`,
    (when === 'after' || (typeof when === 'object' && when.moment === 'after')) && 'after the work',
    typeof when === 'object' && 'for some inputs',
    times !== undefined && `${Math.max(0, times - used)} of ${times} left`,
    probability !== undefined && `for a share of ${probability}`,
    used > 0 && `injected ${count(used, 'time')}`,
  ]
  return parts.filter(Boolean).join(', ')
}
