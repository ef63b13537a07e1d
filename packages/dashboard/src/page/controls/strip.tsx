import { clock } from '../data/clock.ts'
import { post } from '../data/control.ts'
import { chooseKey, currentKey, isFirstKey, keys, removeFault, shortKey } from '../data/keys.ts'
import type { AddedFault, ApiKey } from '../data/wire.ts'
import { linkTo } from '../route.ts'
import { Icon } from '../ui/icon.tsx'
import { attempt } from '../ui/toast.tsx'
import { setScale } from './clock-bar.tsx'
import { planName } from './plan-card.tsx'

/** Something that is not as it is by itself. */
interface Bent {
  text: string
  off: () => unknown
}

/** So many are written out. */
const MAX_SHOWN = 5

/** What shapes every run, on every screen, each with its off switch. Nothing is shown when nothing is bent. */
export function Strip() {
  const all = [...bentTime(), ...keys.value.flatMap(bentAccount), ...bentKey()]
  if (all.length === 0) return null
  return (
    <aside class="strip" aria-label="What is switched on">
      {all.slice(0, MAX_SHOWN).map(({ text, off }) => (
        <span key={text} class="bent">
          {text}
          <button type="button" aria-label={`Switch off: ${text}`} title="Switch off" onClick={() => attempt(off)}>
            <Icon name="close" />
          </button>
        </span>
      ))}
      {all.length > MAX_SHOWN && <a href={linkTo('controls')}>and {all.length - MAX_SHOWN} more</a>}
    </aside>
  )
}

function bentTime(): Bent[] {
  const { scale = 1 } = clock.value
  if (scale === 1) return []
  return [{ text: scale === 0 ? 'Time is paused' : `Time passes ${scale} times as fast`, off: () => setScale(1) }]
}

function bentAccount(key: ApiKey, index: number): Bent[] {
  if (key.revoked) return []
  const whose = index === 0 ? '' : ` (key ${index + 1})`
  const { webhook = {} } = key
  const faults = key.faults.filter(isOn).map((added) => ({
    text: `Fault ${faultText(added)}${whose}`,
    off: () => removeFault(key, added),
  }))
  if (Object.keys(webhook).length === 0) return faults
  return [...faults, { text: `Results: ${planName(webhook)}${whose}`, off: () => post('webhooks', { key: key.key }) }]
}

/** A fault that was injected as often as it should no longer bends anything. */
function isOn({ fault: { times = Number.POSITIVE_INFINITY }, used }: AddedFault): boolean {
  return used < times
}

export function faultText({ fault: { kind, route, model, times, probability, when }, used }: AddedFault): string {
  const parts = [
    kind,
    route === undefined ? 'on every request' : `on ${route}`,
    model && `of ${model}`,
    when === 'after' ? 'after the work' : undefined,
    times === undefined ? undefined : `${Math.max(0, times - used)} of ${times} left`,
    probability === undefined ? undefined : `for a share of ${probability}`,
  ]
  return parts.filter(Boolean).join(', ').replace(', on', ' on')
}

function bentKey(): Bent[] {
  if (isFirstKey.value || currentKey.value === undefined) return []
  return [{ text: `Runs use key ${shortKey(currentKey.value.key)}`, off: () => chooseKey(undefined) }]
}
