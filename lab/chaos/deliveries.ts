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
  return jobs
    .flatMap((job, index) => stepsOf(job, index, (name) => chance(seed, name, job)))
    .toSorted((a, b) => a.at - b.at)
    .map(({ step }) => step)
}

function stepsOf(job: string, index: number, draw: (name: string) => number): { at: number; step: Step }[] {
  const endsAt = index + LATER.delivery * draw('delivery')
  const lieAt = draw('lie first') < 0.5 ? index : endsAt + 1
  const laterAt = endsAt + LATER.duplicate * draw('distance') ** 3
  const isDropped = draw('drop') < DROPPED
  const isAtTwo = draw('two') < AT_TWO
  const steps: [happens: boolean, kind: Step['kind'], at: number][] = [
    [true, 'run', index],
    [draw('lie') < LIED, 'lie', lieAt],
    [draw('forge') < FORGED, 'forge', endsAt],
    [draw('invent') < INVENTED, 'invent', endsAt],
    [isDropped, 'drop', endsAt],
    [!isDropped, isAtTwo ? 'deliver to two' : 'deliver', endsAt],
    [!isDropped && draw('duplicate') < DUPLICATED, 'deliver', laterAt],
  ]
  return steps.filter(([happens]) => happens).map(([, kind, at]) => ({ at, step: { kind, job } }))
}
