import type { Check, Scenario } from '../check.ts'
import { every, type Finding, observe, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { type JsonValue, show } from '../json.ts'
import { missingFor } from '../plan/plan.ts'
import type { World } from './world.ts'

/** What is judged together: the scenarios that make it, and how it is picked from everything that happened. */
export interface Source<Item> {
  /** The first one names what is missing when there is nothing to judge. */
  from: readonly Scenario[]
  pick(world: World): readonly Item[]
  nothing: string
}

/** Judges everything of one kind that the run of the suite has sent and received, whatever it was sent for. */
export function judgeEvery<Item>(
  id: string,
  source: Source<Item>,
  judgeOne: (item: Item, world: World) => Finding | readonly Finding[],
): Check {
  return judgeAll(id, source, (items, world) => every(items.flatMap((item) => judgeOne(item, world))))
}

/** The same for statements about many together. */
export function judgeAll<Item>(
  id: string,
  { from, pick, nothing }: Source<Item>,
  judge: (items: readonly [Item, ...Item[]], world: World) => Finding,
): Check {
  return {
    id,
    from,
    judge: (world) => {
      const [first, ...more] = pick(world)
      if (first !== undefined) return judge([first, ...more], world)
      const { options, troubles, recorded } = world.session
      const [scenario] = from
      const missing = scenario && missingFor(scenario, options)
      if (missing !== undefined) return skip(missing)
      const isLimited = recorded.some(({ response }) => response.status === 429)
      const reason = isLimited ? 'the service rejected too many requests with 429' : nothing
      return (scenario && troubles.get(scenario.name)) ?? skip(reason)
    },
  }
}

/** Records what the first of a kind shows, where the specification leaves it open. */
export function observeFirst<Item extends { response: ApiResponse }>(
  id: string,
  source: Source<Item>,
  observed: (item: Item, world: World) => JsonValue,
): Check {
  return judgeAll(id, source, ([first], world) => {
    const value = observed(first, world)
    return observe(value, show(value), first)
  })
}

/** The same source with some of its items. */
export function only<Item>(
  source: Source<Item>,
  isWanted: (item: Item, world: World) => boolean,
  nothing = source.nothing,
): Source<Item> {
  return { ...source, nothing, pick: (world) => source.pick(world).filter((item) => isWanted(item, world)) }
}
