import { signal } from '@preact/signals'
import { post } from '../data/control.ts'
import { ofKey } from '../data/keys.ts'
import type { Fault } from '../data/wire.ts'
import { Button } from '../ui/button.tsx'
import { InputField, numberIn, Select, typed } from '../ui/fields.tsx'
import { Card } from '../ui/parts.tsx'
import { attempt } from '../ui/toast.tsx'

const KINDS = {
  reset: 'resets the connection',
  'empty-reply': 'ends the connection without a response',
  refused: 'accepts no connection',
  hang: 'never responds',
  'slow-headers': 'responds late',
  'slow-body': 'sends the body slowly',
  'truncated-body': 'ends in the middle of the body',
  'malformed-json': 'responds with broken JSON',
  'rate-limit': 'responds with 429',
  'server-error': 'responds with 500',
  'bad-gateway': 'responds with 502 and a web page',
  unavailable: 'responds with 503',
  response: 'responds with an empty 200',
}

const OPTIONS = Object.fromEntries(Object.entries(KINDS).map(([kind, text]) => [kind, `${kind}: ${text}`]))
const WHEN = { before: 'before the work', after: 'after the work' } as const

const ROUTE_NAMES = ['runModel', 'getJob', 'cancelJob', 'listModels', 'getModel', 'getFile']
/** The empty one is any. */
const ROUTES = {
  '': 'any',
  ...Object.fromEntries(ROUTE_NAMES.map((name) => [name, name])),
}

const chosen = signal({ kind: 'unavailable', route: 'getJob', when: 'before' as keyof typeof WHEN })
const times = signal('')

function choose(change: Partial<typeof chosen.value>): void {
  chosen.value = { ...chosen.value, ...change }
}

export function FaultCard() {
  const { kind, route, when } = chosen.value
  const add = (event: Event) => {
    event.preventDefault()
    return attempt(() => post('faults', { ...faultOf(), ...ofKey() }))
  }
  return (
    <Card title="Faults">
      <form class="grid" onSubmit={add} aria-label="Add a fault">
        <Select label="The service" options={OPTIONS} value={kind} set={(one) => choose({ kind: one })} />
        <Select label="Route" options={ROUTES} value={route} set={(one) => choose({ route: one })} />
        <Select label="When" options={WHEN} value={when} set={(one) => choose({ when: one })} />
        <InputField label="Times" type="number" min={1} placeholder="until removed" {...typed(times)} />
        <Button type="submit" kind="primary" icon="bolt">
          Switch on
        </Button>
      </form>
    </Card>
  )
}

function faultOf(): Fault {
  const { kind, route, when } = chosen.value
  const timesValue = numberIn(times)
  return {
    kind,
    ...(route && { route }),
    ...(when === 'after' && { when }),
    ...(timesValue !== undefined && { times: timesValue }),
  }
}
