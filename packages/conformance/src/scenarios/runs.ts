import { ROUTES, routePath } from '@modelrun/contract'
import type { Scenario } from '../check.ts'
import { BlockedError } from '../finding.ts'
import { type ApiResponse, NoResponseError } from '../http/caller.ts'
import { at } from '../json.ts'
import { type ModelTarget, type Violation, violationsOf } from '../plan/inputs.ts'
import { costOfRuns, FIRST_RUNS, moreRuns, type RunPlan } from '../plan/runs.ts'
import type { RunKind } from '../plan/targets.ts'
import { hasEnded, jobIdIn, pollJob, readFiles, sendRun, startRun } from '../session/actions.ts'
import type { MODES, Session } from '../session/session.ts'
import { UNKNOWN_ID } from './reads.ts'

/** Each of the first runs, polled to its end. */
export const FIRST = Object.fromEntries(
  Object.entries(FIRST_RUNS).map(([name, plan]) => [name, firstRun(name, plan)]),
) as Record<keyof typeof FIRST_RUNS, Scenario> // the keys of the constant

function firstRun(name: string, { kind, ...plan }: RunPlan & { kind: RunKind }): Scenario {
  const { cancel, receiver } = plan
  return {
    name: `run: ${name}`,
    model: kind,
    costOf: (targets) => (cancel === undefined ? (targets[kind]?.creditsPerRun ?? 0) : 0),
    writes: true,
    receiver: receiver !== undefined,
    perform: async (session) => {
      const response = await sendRun(session, { ...plan, target: session.target(kind) })
      const jobId = jobIdIn(response)
      const last = session.recorded.at(-1)
      const isCancelled = cancel !== undefined && last?.method === 'GET' && hasEnded(last.response)
      const isOver = isCancelled || at(response.json, '/status') === 'completed' || jobId === undefined
      const end = isOver ? response : await pollJob(session, jobId)
      if (kind === 'main') await readFiles(session, end)
    },
  }
}

/** No input, and inputs that are not objects. */
const NO_OBJECTS = [undefined, 'conformance', ['conformance'], null, 7, true].map((input): Violation => {
  return { rule: input === undefined ? 'input' : 'object', wrong: `input is ${JSON.stringify(input)}`, input }
})

/**
 * Everything that the schema of the main model forbids. The first violation of each rule waits for its
 * result; the others are sent in every mode in turn.
 */
export const wrongRuns: Scenario = {
  name: 'wrong inputs',
  writes: true,
  perform: async (session) => {
    const main = session.target('main')
    const known = [...violationsOf(main), ...NO_OBJECTS]
    const isFirst = ({ rule }: Violation, index: number) => index === known.findIndex((other) => other.rule === rule)
    for (const violation of known.filter(isFirst)) await sendWrong(session, main, { violation, mode: 'unsaid' })
    for (const violation of known.filter((one, index) => !isFirst(one, index)))
      await sendWrong(session, main, { violation })
  },
}

async function sendWrong(
  session: Session,
  target: ModelTarget,
  { violation: { input, ...violation }, mode }: { violation: Violation; mode?: (typeof MODES)[number] },
): Promise<void> {
  await followed(session, await startRun(session, target, { body: { input, ...session.modeOf(mode) }, violation }))
}

/** A run of a model that is not there, with an input that another one accepts. */
export const unknownModelRun: Scenario = {
  name: 'a run of an unknown model',
  writes: true,
  perform: async (session) => {
    const path = routePath(ROUTES.runModel, { model: UNKNOWN_ID })
    const body = { input: session.target('main').input, sync: false }
    const violation = { rule: 'model', wrong: 'an unknown model' } as const
    // It is free, unless the service takes what is wrong.
    await session.spend(0)
    await followed(session, await session.call({ method: 'POST', path, body, violation }))
  },
}

/** Polls the job of a run that should have been rejected to its end. */
async function followed(session: Session, response: ApiResponse): Promise<void> {
  const jobId = jobIdIn(response)
  if (jobId !== undefined && at(response.json, '/status') !== 'completed') await pollJob(session, jobId)
}

/** Runs in other ways. They are judged like every other. */
export const otherRuns: Scenario = {
  name: 'more runs',
  writes: true,
  costOf: (targets, options) => costOfRuns(moreRuns(targets, options)),
  perform: async (session) => {
    for (const run of moreRuns(session.targets, session.options)) await unlessBlocked(() => sendRun(session, run))
  },
}

/** What cannot be sent is judged where it is needed. */
async function unlessBlocked(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof BlockedError || error instanceof NoResponseError)) throw error
  }
}
