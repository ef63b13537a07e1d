import { useSignal } from '@preact/signals'
import { post } from '../data/control.ts'
import { keys, shortKey } from '../data/keys.ts'
import type { ApiKey } from '../data/wire.ts'
import { formatNumber } from '../text/format.ts'
import { Button, CopyButton } from '../ui/button.tsx'
import { InputField, numberIn, typed } from '../ui/fields.tsx'
import { Card } from '../ui/parts.tsx'
import { attempt } from '../ui/toast.tsx'

export function KeyCard() {
  const credits = useSignal('')
  const create = (event: Event) => {
    event.preventDefault()
    return attempt(() => post('keys', { credits: numberIn(credits) }))
  }
  return (
    <Card title="API keys">
      <ul class="plain">
        {keys.value.map((key) => (
          <KeyRow key={key.key} apiKey={key} />
        ))}
      </ul>
      <form class="grid" onSubmit={create} aria-label="Create a key">
        <InputField label="Credits" type="number" min={0} placeholder="10000" {...typed(credits)} />
        <Button type="submit">Create a key</Button>
      </form>
    </Card>
  )
}

function KeyRow({ apiKey }: { apiKey: ApiKey }) {
  const { key, revoked, credits } = apiKey
  const name = shortKey(key)
  return (
    <li>
      <span class="mono">{name}</span>
      {revoked ? (
        <span class="badge cancelled">revoked</span>
      ) : (
        <span>
          {formatNumber(credits.left)} left
          {credits.available < credits.left && <span class="muted">, {formatNumber(credits.available)} free</span>}
        </span>
      )}
      {!revoked && (
        <span class="buttons">
          <CopyButton label="Copy key" text={() => key} />
          <Button kind="small danger" aria-label={`Revoke ${name}`} act={() => post('keys/revoke', { key })}>
            Revoke
          </Button>
        </span>
      )}
    </li>
  )
}
