import { signal } from '@preact/signals'
import { post, remove } from '../data/control.ts'
import { models } from '../data/store.ts'
import type { AddedFault, Fault } from '../data/wire.ts'
import { faults, keyQuery, loadFaults, ofKey } from '../data/world.ts'
import { record } from '../record/record.ts'
import { count } from '../text/format.ts'
import { NumberField, numberIn, Select } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { attempt } from '../ui/toast.tsx'

const KINDS: Readonly<Record<string, string>> = {
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

const ANY = 'any'
const ROUTES = [ANY, 'runModel', 'getJob', 'cancelJob', 'listModels', 'getModel', 'getFile']

const kind = signal('unavailable')
const route = signal('getJob')
const model = signal(ANY)
const when = signal('before')
const times = signal('')
const probability = signal('')

export function FaultCard() {
  const add = (event: Event) => {
    event.preventDefault()
    const fault = faultOf()
    return attempt(async () => {
      const { id } = await post<{ id: string }>('faults', { ...fault, ...ofKey() })
      record({ kind: 'fault', fault, id, ...ofKey() })
      await loadFaults()
    })
  }
  return (
    <section class="card" aria-label="Faults">
      <h2>Faults</h2>
      <form class="grid" onSubmit={add} aria-label="Add a fault">
        <Select
          label="The service"
          options={Object.keys(KINDS)}
          value={kind}
          show={(name) => `${name}: ${KINDS[name]}`}
        />
        <Select label="Route" options={ROUTES} value={route} />
        <Select label="Model" options={[ANY, ...(models.value ?? []).map(({ id }) => id)]} value={model} />
        <Select label="When" options={['before', 'after']} value={when} show={(name) => `${name} the work`} />
        <NumberField label="Times" value={times} min={1} step={1} placeholder="until removed" />
        <NumberField label="Share, 0 to 1" value={probability} max={1} placeholder="1" />
        <button type="submit" class="button primary">
          <Icon name="bolt" />
          Switch on
        </button>
      </form>
      {faults.value.length === 0 ? (
        <p class="muted">No fault is on: everything works.</p>
      ) : (
        <ul class="plain">
          {faults.value.map((added) => (
            <FaultRow key={added.id} added={added} />
          ))}
        </ul>
      )}
    </section>
  )
}

function faultOf(): Fault {
  const [timesValue, share] = [numberIn(times), numberIn(probability)]
  return {
    kind: kind.value,
    ...(route.value === ANY ? {} : { route: route.value }),
    ...(model.value === ANY ? {} : { model: model.value }),
    ...(when.value === 'after' ? { when: 'after' as const } : {}),
    ...(timesValue === undefined ? {} : { times: timesValue }),
    ...(share === undefined ? {} : { probability: share }),
  }
}

function FaultRow({ added: { id, fault, used } }: { added: AddedFault }) {
  const { kind: name, ...rest } = fault
  const switchOff = () =>
    attempt(async () => {
      const query = keyQuery()
      await remove(`faults${query === '' ? '?' : `${query}&`}id=${id}`)
      record({ kind: 'removeFault', id, ...ofKey() })
      await loadFaults()
    })
  return (
    <li>
      <span class="badge failed">{name}</span>
      <span class="mono small">
        {Object.entries(rest)
          .map(([option, value]) => `${option} ${value}`)
          .join(', ') || 'every request'}
      </span>
      <span class={used > 0 ? 'bad' : 'muted'}>injected {count(used, 'time')}</span>
      <button type="button" class="button small" onClick={switchOff} aria-label={`Switch off ${id}`}>
        Switch off
      </button>
    </li>
  )
}
