import { chance } from './chance.ts'

/** What happens, in this order. A job is run, and noted as expected; its delivery is sent, or dropped on the way. */
export interface Step {
  kind: 'run' | 'note' | 'deliver' | 'drop'
  job: string
}

export interface DeliveriesOptions {
  jobs: number
  seed: number
  /** Part of the jobs of which no delivery arrives. */
  dropped?: number
}

/** Part of the delivered jobs that are delivered twice. */
const DUPLICATED = 0.3

/** By how many jobs a delivery, a duplicate and a note come later at most. */
const LATER = { delivery: 30, duplicate: 150, note: 60 } as const

/** Runs of jobs one after the other, and their deliveries in random order among them; some before the job is noted. */
export function planSteps({ jobs, seed, dropped = 0.2 }: DeliveriesOptions): Step[] {
  const steps: { at: number; step: Step }[] = []
  for (let index = 0; index < jobs; index++) {
    const job = `job_${index}`
    const draw = (name: string) => chance(seed, name, index)
    const add = (kind: Step['kind'], at: number) => steps.push({ at, step: { kind, job } })
    const isDropped = draw('drop') < dropped
    const endsAt = index + LATER.delivery * draw('delivery')
    add('run', index)
    add('note', draw('slow') < 0.1 ? index + LATER.note * draw('note') : index)
    add(isDropped ? 'drop' : 'deliver', endsAt)
    if (!isDropped && draw('duplicate') < DUPLICATED) add('deliver', endsAt + LATER.duplicate * draw('distance') ** 3)
  }
  return steps.toSorted((a, b) => a.at - b.at).map(({ step }) => step)
}
