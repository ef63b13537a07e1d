import { chance } from './chance.ts'

/**
 * What happens, in this order. A job is run; a delivery is sent, to one receiver or to two at once, or dropped on the way.
 * Others send what is not true: to a url with a wrong token, a lie about the job, or a job that the service does not have.
 */
export interface Step {
  kind: 'run' | 'deliver' | 'deliver to two' | 'drop' | 'forge' | 'lie' | 'invent'
  job: string
}

/** Parts of the jobs. */
const DROPPED = 0.15
const DUPLICATED = 0.3
const AT_TWO = 0.08
const FORGED = 0.1
const LIED = 0.05
const INVENTED = 0.03

/** By how many jobs a delivery and a duplicate come later at most. */
const LATER = { delivery: 15, duplicate: 60 } as const

export function planSteps(jobs: readonly string[], seed: number): Step[] {
  const steps: { at: number; step: Step }[] = []
  for (const [index, job] of jobs.entries()) {
    const draw = (name: string) => chance(seed, name, job)
    const add = (kind: Step['kind'], at: number) => steps.push({ at, step: { kind, job } })
    const endsAt = index + LATER.delivery * draw('delivery')
    add('run', index)
    if (draw('lie') < LIED) add('lie', index + (draw('lie first') < 0.5 ? 0 : LATER.delivery))
    if (draw('forge') < FORGED) add('forge', endsAt)
    if (draw('invent') < INVENTED) add('invent', endsAt)
    if (draw('drop') < DROPPED) add('drop', endsAt)
    else {
      add(draw('two') < AT_TWO ? 'deliver to two' : 'deliver', endsAt)
      if (draw('duplicate') < DUPLICATED) add('deliver', endsAt + LATER.duplicate * draw('distance') ** 3)
    }
  }
  return steps.toSorted((a, b) => a.at - b.at).map(({ step }) => step)
}
