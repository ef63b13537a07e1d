import { useSignal } from '@preact/signals'
import { post } from '../data/control.ts'
import { chooseKey, currentKey, keys, shortKey } from '../data/keys.ts'
import type { ApiKey } from '../data/wire.ts'
import { count, formatNumber } from '../text/format.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { NumberField, numberIn } from '../ui/fields.tsx'
import { attempt } from '../ui/toast.tsx'

const PERMISSIONS = ['models:read', 'models:run', 'jobs:read', 'jobs:write', 'webhooks:manage']

export function KeyCard() {
  const credits = useSignal('')
  const permissions = useSignal<readonly string[]>(PERMISSIONS)
  const create = (event: Event) => {
    event.preventDefault()
    const amount = numberIn(credits)
    const options = {
      ...(amount === undefined ? {} : { credits: amount }),
      ...(permissions.value.length === PERMISSIONS.length ? {} : { permissions: permissions.value }),
    }
    return attempt(() => post('keys', options))
  }
  return (
    <section class="card" aria-label="API keys">
      <h2>API keys</h2>
      <ul class="plain keys">
        {keys.value.map((key, index) => (
          <KeyRow key={key.key} apiKey={key} isFirst={index === 0} />
        ))}
      </ul>
      <form class="grid" onSubmit={create} aria-label="Create a key">
        <NumberField label="Credits" value={credits} step={1} placeholder="10000" />
        <Permissions value={permissions} />
        <button type="submit" class="button">
          Create a key
        </button>
      </form>
    </section>
  )
}

function Permissions({ value }: { value: { value: readonly string[] } }) {
  return (
    <fieldset class="checks">
      <legend>Permissions</legend>
      {PERMISSIONS.map((name) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={value.value.includes(name)}
            onChange={({ currentTarget: { checked } }) => {
              value.value = PERMISSIONS.filter((one) => (one === name ? checked : value.value.includes(one)))
            }}
          />
          {name}
        </label>
      ))}
    </fieldset>
  )
}

function KeyRow({ apiKey, isFirst }: { apiKey: ApiKey; isFirst: boolean }) {
  const { key, revoked, credits, permissions } = apiKey
  const amount = useSignal('')
  const limit = () => attempt(() => post('keys/limit', { key, credits: numberIn(amount) ?? 0 }))
  const revoke = () => attempt(() => post('keys/revoke', { key }))
  return (
    <li>
      <label class="check mono">
        <input
          type="radio"
          name="key"
          checked={currentKey.value === apiKey}
          disabled={revoked}
          onChange={() => chooseKey(isFirst ? undefined : key)}
        />
        {shortKey(key)}
      </label>
      {revoked ? (
        <span class="badge cancelled">revoked</span>
      ) : (
        <span>
          {formatNumber(credits.left)} left
          {credits.available < credits.left && <span class="muted">, {formatNumber(credits.available)} free</span>}
        </span>
      )}
      {permissions.length < PERMISSIONS.length && (
        <span class="muted small">{count(permissions.length, 'permission')}</span>
      )}
      {!revoked && (
        <span class="buttons">
          <CopyButton label="Copy key" text={() => key} />
          <input
            class="narrow"
            type="number"
            min={0}
            aria-label={`Credits for ${shortKey(key)}`}
            placeholder="credits"
            value={amount.value}
            onInput={({ currentTarget }) => {
              amount.value = currentTarget.value
            }}
          />
          <button type="button" class="button small" disabled={amount.value === ''} onClick={limit}>
            Set credits
          </button>
          <button type="button" class="button small danger" onClick={revoke} aria-label={`Revoke ${shortKey(key)}`}>
            Revoke
          </button>
        </span>
      )}
    </li>
  )
}
