import { ROUTES, routePath } from '@modelrun/contract'
import { defineScenario, type Scenario } from '../check.ts'
import { BlockedError } from '../finding.ts'
import { type ApiResponse, NoResponseError } from '../http/caller.ts'
import { at } from '../json.ts'
import { crossed } from '../plan/crossing.ts'
import { type ModelTarget, type Rule, type Violation, violationsOf } from '../plan/inputs.ts'
import { type CrossedRun, costOfAll, crossedRunsOf, FIRST_RUNS, inTurn } from '../plan/runs.ts'
import { targetsOf } from '../plan/targets.ts'
import { cancelJob, isTerminal, jobIdIn, jobStatus, pollJob, readJob, sendRun, startRun } from '../session/actions.ts'
import { type LimitedKey, lacks, namesOf } from '../session/keys.ts'
import { MODES, type Mode, type Session } from '../session/session.ts'

/** Names no model and no job. */
export const UNKNOWN_ID = 'conformance-no-such-id'

/** Each of the first runs, polled to its end. */
export const FIRST = Object.fromEntries(
  Object.entries(FIRST_RUNS).map(([name, { kind, ...run }]) => [
    name,
    defineScenario(
      { runs: { [kind]: run.cancel === 'never' ? 1 : 0 }, receiver: run.receiver !== 'none' },
      async (session) => {
        const isTried = name === 'cancelledProcessing' && session.targets.slow !== undefined
        const onProcessing = isTried ? (jobId: string) => cancelWithWrongKeys(session, jobId) : undefined
        const response = await sendRun(session, { ...run, target: session.target(kind), key: undefined }, onProcessing)
        const jobId = jobIdIn(response)
        const last = session.recorded.at(-1)
        const isCancelled = run.cancel !== 'never' && last?.method === 'GET' && isTerminal(jobStatus(last.response))
        const isOver = isCancelled || at(response.json, '/status') === 'completed' || jobId === undefined
        if (!isOver) await pollJob(session, jobId, { pace: name === 'async' ? 'dense' : 'normal' })
      },
    ),
  ]),
) as Record<keyof typeof FIRST_RUNS, Scenario<void>> // the keys of the constant

/** The read afterwards shows whether they did something. */
async function cancelWithWrongKeys(session: Session, jobId: string): Promise<void> {
  await cancelJob(session, jobId, { authorization: null })
  const { keys } = session.options
  for (const key of [keys['without-jobs-write'], keys['read-only']])
    if (key !== undefined) await cancelJob(session, jobId, { key })
  await readJob(session, jobId)
}

/** No input, and inputs that are not objects. */
const NO_OBJECTS = [undefined, 'conformance', ['conformance'], null, 7, true].map((input): Violation => {
  return { rule: input === undefined ? 'input' : 'object', wrong: `input is ${JSON.stringify(input)}`, input }
})

type WrongRun = { target: ModelTarget; violation: Violation }

/** Runs in which rules, models, keys and modes are crossed. */
const MOST_CROSSED = 6

/**
 * Everything that the schema of the main model forbids, and some of the others. The first violation of each rule waits for its
 * result; keys and modes take turns, and are crossed with rules and models.
 */
export const wrongRuns = defineScenario({ writes: true }, async (session) => {
  const { targets, options } = session
  const models = targetsOf({ ...targets, failing: undefined })
  const known = models.flatMap((target): WrongRun[] =>
    [...violationsOf(target), ...NO_OBJECTS].map((violation) => ({ target, violation })),
  )
  const rules = [...new Set(known.map(({ violation }) => violation.rule))]
  const firsts = rules.flatMap((rule) => known.find(({ violation }) => violation.rule === rule) ?? [])
  // The end of what is accepted must be seen.
  const keys = namesOf(options, 'models:run').filter((name) => !lacks(name, 'jobs:read'))
  const send = async ({ target, violation: { input, ...violation } }: WrongRun, mode?: Mode, key?: LimitedKey) => {
    const body = { input, ...session.modeOf(mode) }
    await followed(session, await startRun(session, target, { body, violation, key: key && options.keys[key] }))
  }
  for (const one of firsts) await send(one, 'unsaid')
  const others = known.filter((one) => one.target === models[0] && !firsts.includes(one))
  for (const [index, one] of others.entries())
    await send(one, undefined, inTurn(one.violation.rule === 'object' ? [] : [undefined, ...keys], index))
  const of = (target: ModelTarget, rule: Rule) =>
    known.filter((one) => one.target === target && one.violation.rule === rule && !firsts.includes(one))
  const again = crossed(
    { rule: rules, target: models, mode: MODES, key: [undefined, undefined, ...keys] },
    {
      seed: options.seed,
      most: options.depth * MOST_CROSSED,
      isPossible: ({ rule, target }) => of(target, rule).length > 0,
    },
  )
  for (const [index, { rule, target, mode, key }] of again.entries()) {
    const one = inTurn(of(target, rule), index)
    if (one !== undefined) await send(one, mode, key)
  }
})

/** A run of a model that is not there, with an input that another one takes. */
export const unknownModelRun = defineScenario({ writes: true }, async (session) => {
  const path = routePath(ROUTES.runModel, { model: UNKNOWN_ID })
  const body = { input: session.target('main').input, sync: false }
  const violation = { rule: 'model', wrong: 'an unknown model' } as const
  await followed(session, await session.call({ method: 'POST', path, body, violation }))
})

/** The job of a run that should have been rejected is polled to its end. */
async function followed(session: Session, response: ApiResponse): Promise<void> {
  const jobId = jobIdIn(response)
  if (jobId !== undefined && at(response.json, '/status') !== 'completed') await pollJob(session, jobId)
}

/**
 * Runs in which model, key, mode, webhook, input, and cancel meet pairwise: a fault that shows in one corner only is met there. They
 * are judged like every other. What they cost at most is an option.
 */
export const crossedRuns = defineScenario(
  { writes: true, costOf: (targets, options) => costOfAll(crossedRunsOf(targets, options)) },
  async (session) => {
    const runs = crossedRunsOf(session.targets, session.options)
    // Most cancelled runs come first, one after the other: what is charged then is charged for one of them. The last ones meet runs
    // that continue.
    const placeOf = ({ cancel, key, sync, receiver }: CrossedRun, index: number) => {
      if (cancel !== 'never') return key === undefined && index % 3 !== 0 ? 0 : 3
      return sync !== false && receiver === 'none' ? 1 : 2
    }
    const placed = runs.map((run, index) => ({ run, place: placeOf(run, index) }))
    for (const { run } of placed.toSorted((one, other) => one.place - other.place)) {
      await unlessBlocked(() => sendRun(session, run))
      await session.mark()
    }
  },
)

/** What cannot be had is judged where it is needed. */
export async function unlessBlocked(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof BlockedError || error instanceof NoResponseError)) throw error
  }
}
