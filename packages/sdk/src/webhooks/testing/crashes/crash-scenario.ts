/** Just before a step, or just after it: the step has happened, and its process does not get the response. */
type Moment = 'before' | 'after'

/** A fault of the first process that runs the handler. */
export interface Fault {
  kind: 'dies' | 'stalls' | 'fails'
  moment: Moment
  /** Index of the step in the run of the handler; `done`: the write that the job is done. */
  at: number | 'done'
}

/** One simulation of the delivery of a job. */
export interface Scenario {
  name: string
  /** Undefined: a run without a fault. */
  fault?: Fault
}

export const UNDISTURBED: Scenario = { name: 'undisturbed' }

/** Lists a scenario for each fault at each step of an undisturbed run. */
export function listScenarios(steps: readonly string[]): Scenario[] {
  return [
    { name: 'the delivery comes twice at once' },
    ...titlesOf(steps).flatMap((title, at) => faultsAt(title, at)),
    { name: 'the process dies before the job is noted as done', fault: { kind: 'dies', moment: 'before', at: 'done' } },
  ]
}

function faultsAt(title: string, at: number): Scenario[] {
  const scenario = (name: string, kind: Fault['kind'], moment: Moment): Scenario => ({
    name,
    fault: { kind, moment, at },
  })
  return [
    scenario(`the process dies before ${title}`, 'dies', 'before'),
    scenario(`the process dies after ${title}`, 'dies', 'after'),
    scenario(`the process stalls before ${title}, and another one takes over`, 'stalls', 'before'),
    scenario(`the process stalls after ${title}, and another one takes over`, 'stalls', 'after'),
    scenario(`${title} fails`, 'fails', 'before'),
    scenario(`${title} happens, and its response is lost`, 'fails', 'after'),
  ]
}

/** Numbers steps of the same name, from the second on. */
function titlesOf(steps: readonly string[]): string[] {
  return steps.map((name, index) => {
    const count = steps.slice(0, index + 1).filter((other) => other === name).length
    return count === 1 ? `"${name}"` : `"${name}" (${count})`
  })
}
