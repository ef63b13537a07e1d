import { type Signal, signal } from '@preact/signals'
import { post } from '../data/control.ts'
import { currentKey, ofKey, removeFault } from '../data/keys.ts'
import { models } from '../data/store.ts'
import type { AddedFault, Fault } from '../data/wire.ts'
import { count } from '../text/format.ts'
import { NumberField, numberIn, Select } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { attempt } from '../ui/toast.tsx'
import { faultText } from './strip.tsx'

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
    return attempt(() => post('faults', { ...faultOf(), ...ofKey() }))
  }
  const faults = currentKey.value?.faults ?? []
  return (
    <section class="card" aria-label="Faults">
      <h2>Faults</h2>
      <form class="grid" onSubmit={add} aria-label="Add a fault">
        <Select
          label="The service"
          options={Object.keys(KINDS)}
          value={kind.value}
          set={setTo(kind)}
          show={(name) => `${name}: ${KINDS[name]}`}
        />
        <Select label="Route" options={ROUTES} value={route.value} set={setTo(route)} />
        <Select
          label="Model"
          options={[ANY, ...(models.value ?? []).map(({ id }) => id)]}
          value={model.value}
          set={setTo(model)}
        />
        <Select
          label="When"
          options={['before', 'after']}
          value={when.value}
          set={setTo(when)}
          show={(name) => `${name} the work`}
        />
        <NumberField label="Times" value={times} min={1} step={1} placeholder="until removed" />
        <NumberField label="Share, 0 to 1" value={probability} max={1} placeholder="1" />
        <button type="submit" class="button primary">
          <Icon name="bolt" />
          Switch on
        </button>
      </form>
      {faults.length === 0 ? (
        <p class="muted">No fault is on: everything works.</p>
      ) : (
        <ul class="plain">
          {faults.map((added) => (
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

function setTo(value: Signal<string>) {
  return (option: string) => {
    value.value = option
  }
}

function FaultRow({ added }: { added: AddedFault }) {
  const { id, used } = added
  const switchOff = () => attempt(() => removeFault(currentKey.value ?? { key: '' }, added))
  return (
    <li>
      <span class="mono small">{faultText(added)}</span>
      <span class={used > 0 ? 'bad' : 'muted'}>injected {count(used, 'time')}</span>
      <button type="button" class="button small" onClick={switchOff} aria-label={`Switch off ${id}`}>
        Switch off
      </button>
    </li>
  )
}
