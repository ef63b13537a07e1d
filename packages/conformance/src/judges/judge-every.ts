import { type Check, defineScenario, type Scenario } from '../check.ts'
import { BlockedError, every, type Finding, observe, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { TOO_MANY_REQUESTS } from '../http/sent-again.ts'
import { type JsonValue, show } from '../json.ts'
import { missingFor } from '../plan/plan.ts'
import { listModels } from '../scenarios/reads.ts'
import type { Session } from '../session/session.ts'
import { rejectionText } from './rules.ts'
import { type World, worldOf } from './world.ts'

/** What is judged together: the scenarios that make it, and how it is picked from everything that happened. */
export interface Source<Item> {
  /** The first one names what is missing when there is nothing to judge. */
  from: readonly Scenario<unknown>[]
  pick(world: World): readonly Item[]
  /** Why there may be nothing. */
  nothing: string
}

/** Everything that was sent and received. Read after the last scenario. */
const world = defineScenario({}, async (session) => {
  await session.balance.close()
  const { lists, stillLists } = worldOf(session)
  // Whether the catalog has changed, or only what some lists say of it: as the very first one.
  if (stillLists.length < lists.length) await listModels(session, { limit: 1 })
  return worldOf(session)
})

/**
 * Judges everything of one kind that the run of the suite has sent and received, whatever it was sent for. Made after all
 * scenarios.
 */
export function judgeEvery<Item>(
  id: string,
  source: Source<Item>,
  judgeOne: (item: Item, world: World) => Finding | readonly Finding[],
): Check {
  return judgeAll(id, source, (items, everything) => every(items.flatMap((item) => judgeOne(item, everything))))
}

/** Records what the first of a kind shows, where the specification leaves it open. */
export function observeFirst<Item extends { response: ApiResponse }>(
  id: string,
  source: Source<Item>,
  observed: (item: Item) => JsonValue,
): Check {
  return judgeAll(id, source, ([first]) => {
    const [value, text] = [observed(first), rejectionText(first.response)]
    return observe(value, value === first.response.status ? text : `${text}: ${show(value)}`, first)
  })
}

/** The same for statements about many together. */
export function judgeAll<Item>(
  id: string,
  { from, pick, nothing }: Source<Item>,
  judge: (items: readonly [Item, ...Item[]], world: World) => Finding | Promise<Finding>,
): Check {
  const scenario = defineScenario({ mayUse: from }, async () => undefined)
  const run = async (session: Session) => {
    const everything = await session.evidence(world)
    const [first, ...more] = pick(everything)
    if (first !== undefined) return judge([first, ...more], everything)
    if (session.troubles[0] !== undefined) return session.troubles[0]
    const reason = from[0] && (missingFor(from[0], session.options) ?? (await blockedReason(session, from[0])))
    const isLimited = session.recorded.some(({ response }) => response.status === TOO_MANY_REQUESTS)
    return skip(reason ?? (isLimited ? `${nothing}: the service rejected too many requests with 429` : nothing))
  }
  return { id, scenario, isLast: true, run }
}

/** Performs what can be, each scenario once. */
export async function performEach(scenarios: Iterable<Scenario<unknown>>, session: Session): Promise<void> {
  for (const scenario of scenarios) {
    if (missingFor(scenario, session.options) !== undefined) continue
    await session.evidence(scenario).catch((error: unknown) => session.addTrouble(error))
  }
}

/** Why a scenario, which was performed, could not be: what it builds on is missing. */
async function blockedReason(session: Session, scenario: Scenario<unknown>): Promise<string | undefined> {
  const error = await session.evidence(scenario).catch((reason: unknown) => reason)
  return error instanceof BlockedError ? error.message : undefined
}

/** The same source with some of its items, of other scenarios or the same. */
export function only<Item>(
  source: Source<Item>,
  isWanted: (item: Item, world: World) => boolean,
  nothing = source.nothing,
): Source<Item> {
  return { ...source, nothing, pick: (world) => source.pick(world).filter((item) => isWanted(item, world)) }
}
