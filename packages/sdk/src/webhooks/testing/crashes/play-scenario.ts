import { parseWebhook } from '../../parse-webhook.ts'
import { eventKey } from '../../record-key.ts'
import type { InboxStore } from '../../store/inbox-store.ts'
import { createMemoryStore } from '../../store/memory-store.ts'
import type { DeliveryBody } from '../event-fixtures.ts'
import type { Scenario } from './crash-scenario.ts'
import type { CrashWorld } from './crash-world.ts'
import { LEASE_MS } from './crashing-store.ts'
import { effectsText } from './effects-text.ts'
import type { CrashLog } from './process-tools.ts'
import { openProcess, type SimulatedProcess } from './simulated-process.ts'
import { createVirtualTime, type VirtualTime } from './virtual-time.ts'

/** What is played. */
export interface Play {
  makeWorld: () => CrashWorld | Promise<CrashWorld>
  event: DeliveryBody
  /** Undefined: the job is not expected. */
  context: unknown
}

/** What came of a scenario. */
export interface Played {
  log: CrashLog
  end: 'done' | 'dead'
  /** In the end. */
  effects: unknown
  /** True when that is not what it was before the delivery. */
  isChanged: boolean
}

/** As many as the tries of a handler, and some more. */
const MAX_ROUNDS = 20

/** Two processes, one store: the first gets the delivery, the other one finds what it leaves. */
interface Stage {
  time: VirtualTime
  store: InboxStore
  first: SimulatedProcess
  other: SimulatedProcess
}

export async function playScenario({ makeWorld, event, context }: Play, scenario: Scenario): Promise<Played> {
  const world = await makeWorld()
  const before = effectsText(await world.effects())
  const log: CrashLog = { begun: [], happened: {}, errors: [] }
  const time = createVirtualTime()
  const store = createMemoryStore({ clock: time })
  const open = (fault?: Scenario['fault']) => openProcess({ world, clock: time, store, log, fault })
  const stage: Stage = { time, store, first: open(scenario.fault), other: open() }
  if (context !== undefined) await stage.first.inbox.expect(event.job_id, { context })
  const end = await play(stage, JSON.stringify(event), scenario)
  const effects = await world.effects()
  return { log, end, effects, isChanged: effectsText(effects) !== before }
}

async function play(stage: Stage, body: string, { duplicate, fault }: Scenario): Promise<Played['end']> {
  const { first, other } = stage
  const key = eventKey(await parseWebhook(body))
  const deliveries = [first.deliver(body), ...(duplicate === 'at_once' ? [other.deliver(body)] : [])]
  await Promise.all(deliveries)
  // A process that goes on tries again itself: it still has in memory what the handler left there.
  let end = await finish(stage, fault === undefined || fault.kind === 'fails' ? first : other, key)
  if (fault?.kind === 'stalls') {
    await first.wake()
    end = await finish(stage, other, key)
  }
  if (duplicate === 'later') await other.deliver(body)
  return end
}

/** Lets time pass until the job has ended. */
async function finish({ time, store }: Stage, worker: SimulatedProcess, key: string): Promise<Played['end']> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const state = (await store.get(key))?.state
    if (state === 'done' || state === 'dead') return state
    time.advance(LEASE_MS + 1_000)
    await worker.inbox.sweep()
  }
  throw new Error(`The simulated job did not end within ${MAX_ROUNDS} minutes.`)
}
