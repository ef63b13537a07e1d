import { COVERAGE_GROUPS, type CoverageGroup } from './coverage-items.ts'

/** One behaviour of the service, and how often it was exercised. */
export interface CoverageItem {
  /** The part of the service that it belongs to. */
  readonly group: CoverageGroup
  /** Such as `runModel 202 queued` or `processing -> failed`. */
  readonly name: string
  /** How often it was exercised. */
  readonly count: number
}

/** Which behaviour of the service was exercised, of all that there is. */
export interface Coverage {
  /** Number of behaviours that were exercised. */
  readonly covered: number
  /** Number of all behaviours. */
  readonly total: number
  /** Every behaviour with its count. */
  readonly items: readonly CoverageItem[]
  /** The same for people: a line for each item, `+` for what was exercised and `-` for what was not. */
  readonly text: string
}

export function coverageOf(items: readonly CoverageItem[]): Coverage {
  const covered = coveredOf(items)
  return { covered, total: items.length, items, text: textOf(items) }
}

/** The coverage of several servers together, such as those of the files of a test suite. */
export function mergeCoverage(coverages: readonly Pick<Coverage, 'items'>[]): Coverage {
  const merged = new Map<string, CoverageItem>()
  for (const item of coverages.flatMap(({ items }) => items)) {
    const id = `${item.group} ${item.name}`
    merged.set(id, { ...item, count: item.count + (merged.get(id)?.count ?? 0) })
  }
  return coverageOf([...merged.values()])
}

function textOf(items: readonly CoverageItem[]): string {
  const groups = COVERAGE_GROUPS.flatMap((group) => {
    const own = items.filter((item) => item.group === group)
    const lines = own.map(({ name, count }) => (count > 0 ? `  + ${name} (${count})` : `  - ${name}`))
    return [`${group}: ${coveredOf(own)} of ${own.length}`, ...lines]
  })
  const percent = items.length === 0 ? 0 : Math.floor((100 * coveredOf(items)) / items.length)
  return [`Behaviour exercised: ${coveredOf(items)} of ${items.length} (${percent} %)`, ...groups].join('\n')
}

function coveredOf(items: readonly CoverageItem[]): number {
  return items.filter(({ count }) => count > 0).length
}
