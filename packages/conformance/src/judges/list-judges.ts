import { LIMITS } from '@modelrun/contract'
import type { Check } from '../check.ts'
import { every, type Finding, fail, judge, pass, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, groupBy, itemsOf, show } from '../json.ts'
import { modelsOf } from '../plan/targets.ts'
import { lists, matches, NONSENSE, pages } from '../scenarios/reads.ts'
import type { ListCall } from './api-calls.ts'
import { judgeAll, judgeEvery, only, type Source } from './judge-world.ts'
import { hasFields } from './model-judges.ts'
import { count, hasStatus, holds, objects, oneOf, rejectionText } from './rules.ts'
import { idsOf, isUnfiltered, type World } from './world.ts'

const LISTS: Source<ListCall> = { from: [pages, lists], pick: (world) => world.lists, nothing: 'no list was returned' }
/** What is rejected behind the last model is open. The list of all models is read before everything else. */
const ASKED: Source<ListCall> = {
  ...LISTS,
  pick: ({ askedLists, session: { models } }) =>
    askedLists.filter(
      ({ query, response }) => response.status < 400 || matches(query, models).length > (query.offset ?? 0),
    ),
}
/** The lists with the same filters that have a total. One without fails another check. */
const GROUPS: Source<readonly [ListCall, ...ListCall[]]> = {
  ...LISTS,
  pick: ({ lists: all }) => {
    const counted = all.filter(({ response }) => count[0](at(response.json, '/total')))
    return [...groupBy(counted, ({ query }) => filterText(query)).values()].flatMap(([first, ...more]) =>
      first === undefined ? [] : [[first, ...more] as const],
    )
  },
}
const SEARCHES = only(GROUPS, ([{ query }]) => (query.search ?? '') !== '', 'nothing was searched')
const ABOVE_MAXIMUM: Source<ApiResponse> = {
  from: [pages],
  pick: ({ calls }) =>
    calls.filter(({ path }) => path.endsWith(`?limit=${LIMITS.modelsPageMax + 1}`)).map(({ response }) => response),
  nothing: 'no such limit was sent',
}

export const LIST_JUDGES: readonly Check[] = [
  judgeAll('models/every-list', ASKED, (all) => {
    const initial = at(all.find(({ query }) => query.offset === undefined)?.response.json, '/offset')
    return every(all.flatMap((list) => isWholeList(list, initial)))
  }),
  judgeEvery('models/limit-capped', ABOVE_MAXIMUM, isCapped),
  judgeEvery('models/every-entry', LISTS, ({ response }) =>
    itemsOf(at(response.json, '/models')).flatMap((entry) => [
      ...hasFields(entry, response),
      judge(at(entry, '/input_schema') === undefined, 'an entry of the list has an input_schema', response),
    ]),
  ),
  judgeEvery('models/category', LISTS, ({ query, response }) => {
    const others = modelsOf(response).filter(({ category }) => category !== (query.category ?? category))
    const detail = `the list of ${query.category} holds models of other categories: ${show(others.map(({ id }) => id))}`
    return judge(others.length === 0, detail, response)
  }),
  judgeEvery('models/search', SEARCHES, findsAll),
  judgeEvery(
    'models/search-narrows',
    only(SEARCHES, ([{ query }]) => query.search === NONSENSE),
    narrows,
  ),
  judgeEvery('models/no-entry-twice', GROUPS, placesAgree),
  judgeEvery('models/every-total', GROUPS, totalIsRight),
]

/** Judges limit, offset, total and size of a list by its query, and by the offset that another one has without a query. */
function isWholeList({ query, response }: ListCall, initial: unknown): readonly Finding[] {
  const [total, held] = [Number(at(response.json, '/total')), itemsOf(at(response.json, '/models')).length]
  const offset = query.offset ?? Number(initial ?? 0)
  const expected = Math.max(0, Math.min(query.limit, total - offset)) || 0
  const page = `the page of ${filterText(query)} with limit ${query.limit} and offset ${offset}`
  return [
    hasStatus(response, 200),
    ...holds(response, {
      '/models': objects,
      '/total': count,
      '/limit': oneOf(query.limit),
      '/offset': query.offset === undefined && initial === undefined ? count : oneOf(query.offset ?? initial),
    }),
    judge(
      held === expected || !count[0](at(response.json, '/total')),
      `${page} has ${held} models; expected ${expected}, as /total is ${total}`,
      response,
    ),
  ]
}

/** More than the maximum is rejected, or never returned; what is applied instead is open. */
function isCapped(response: ApiResponse): Finding {
  const [applied, models] = [at(response.json, '/limit'), itemsOf(at(response.json, '/models')).length]
  const isRight = typeof applied === 'number' && applied <= LIMITS.modelsPageMax && models <= LIMITS.modelsPageMax
  const detail = `limit=${LIMITS.modelsPageMax + 1}: ${rejectionText(response)}, /limit is ${show(applied)}, ${models} models`
  return judge(response.status >= 400 || isRight, `${detail}; expected an error, or 100 at most`, response)
}

function filterText({ category, search }: Pick<ListCall['query'], 'category' | 'search'>): string {
  const searched = search === undefined ? '' : `a search for ${show(search)} in `
  return `${searched}${category === undefined ? 'all models' : `the category ${category}`}`
}

type Group = readonly [ListCall, ...ListCall[]]

/** Judges that a search finds what holds the string, where one page shows all, and in a category no more than elsewhere. */
function findsAll(group: Group, { session, lists: all }: World): Finding {
  const [{ query }] = group
  const found = new Set(group.flatMap(({ response }) => idsOf(response)))
  const wanted = matches(query, session.models).map(({ id }) => id)
  const missing = group.some(isWhole) ? wanted.filter((id) => !found.has(id)) : []
  if (missing.length > 0) return fail(`${filterText(query)} does not find ${show(missing)}`, group)
  const anywhere = all.find(
    (one) => one.query.category === undefined && one.query.search === query.search && isWhole(one),
  )
  // Where nothing holds the string, some searches find what comes close.
  const isClose =
    wanted.length === 0 && all.some((one) => one.query.search === NONSENSE && idsOf(one.response).length > 0)
  const more =
    anywhere === undefined || isClose ? [] : [...found].filter((id) => !idsOf(anywhere.response).includes(id))
  const detail = `${filterText(query)} finds ${found.size} models, and of them ${show(more)} not in all categories`
  return judge(more.length === 0, detail, group)
}

/** Whether one page holds everything that matches. */
function isWhole({ query, response }: ListCall): boolean {
  return query.offset === undefined && Number(at(response.json, '/total')) <= query.limit
}

/** A search may find a few models that come close. */
const FEW_MODELS = 5

/** A search for what no model mentions may find what comes close, but not every model: then it is ignored. */
function narrows(group: Group, world: World): Finding {
  const [total, found] = [world.lists.find(isUnfiltered), group[0]].map((list) =>
    Number(at(list?.response.json, '/total')),
  )
  if (!(Number(total) > FEW_MODELS)) return skip('the list has few models: all of them may come close', group)
  return judge(Number(found) < Number(total), `a search for ${NONSENSE} finds ${found} of ${total} models`, group)
}

/** Judges that every model of a list has one place, on whatever page it is, and every place one model. */
function placesAgree(group: Group): Finding {
  const seen = new Map<string, unknown>()
  for (const { query, response } of group)
    for (const [index, id] of idsOf(response).entries()) {
      const place = (query.offset ?? Number(at(response.json, '/offset'))) + index
      for (const [key, value] of [
        [`place ${place}`, id],
        [`model ${show(id)}`, place],
      ] as const) {
        const known = seen.get(key) ?? value
        if (known !== value) return fail(`${filterText(query)}: ${key} goes with ${known} and with ${value}`, group)
        seen.set(key, value)
      }
    }
  return pass('every model stands at one place of a list', group)
}

/** Judges that total is the same on all pages, and what the whole list holds; of a search, what was found at least. */
function totalIsRight(group: Group, { session: { models } }: World): Finding {
  const [{ query }] = group
  const totals = [...new Set(group.map(({ response }) => Number(at(response.json, '/total'))))]
  const found = new Set(group.flatMap(({ response }) => idsOf(response))).size
  const expected = query.search === undefined ? matches(query, models).length : Math.max(found, Number(totals[0]))
  const detail = `/total of ${filterText(query)} is ${totals.join(' on one page and ')}; expected ${expected}`
  return judge(totals.length === 1 && totals[0] === expected, detail, group)
}
