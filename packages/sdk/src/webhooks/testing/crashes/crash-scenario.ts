/** Just before something happens, or just after it: it has happened, and its process does not learn so. */
type Moment = 'before' | 'after'

/** What befalls the first process that runs the handler. */
export interface Fault {
  kind: 'dies' | 'stalls' | 'fails'
  moment: Moment
  /** Index of the step in the run of the handler; `done`: the note that the job is done. */
  at: number | 'done'
}

/** A way in which the delivery of one job may go. */
export interface Scenario {
  name: string
  /** Undefined: nothing goes wrong. */
  fault?: Fault
}

export const UNDISTURBED: Scenario = { name: 'undisturbed' }

/** Every way in which a delivery may go, for the steps of an undisturbed run. */
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

/** Steps of the same name are numbered from the second on. */
function titlesOf(steps: readonly string[]): string[] {
  return steps.map((name, index) => {
    const count = steps.slice(0, index + 1).filter((other) => other === name).length
    return count === 1 ? `"${name}"` : `"${name}" (${count})`
  })
}
