import type { ChaosResult } from './run-chaos.ts'

const MAX_STORIES = 5

/** What went wrong, for people, with what runs it again; undefined when nothing did. */
export function describeViolations(store: string, { violations, jobs, seed }: ChaosResult): string | undefined {
  if (violations.length === 0) return undefined
  const kinds = [...new Set(violations.map(({ kind }) => kind))]
  const counts = kinds.map((kind) => `${violations.filter((violation) => violation.kind === kind).length} ${kind}`)
  const stories = violations.slice(0, MAX_STORIES).map(({ kind, job, story }) => `  ${kind} ${job}: ${story}`)
  const more = violations.length > MAX_STORIES ? [`  and ${violations.length - MAX_STORIES} more`] : []
  const again = `npm run chaos -- --store ${store} --jobs ${jobs} --seed ${seed}`
  return [`${store}, seed ${seed}: ${counts.join(', ')}. Again: ${again}`, ...stories, ...more].join('\n')
}
