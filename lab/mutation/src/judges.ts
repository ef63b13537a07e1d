/**
 * The tests that judge a mutant, by where it is: the unit tests beside the code and of what is built on it. Stryker notes
 * which of them run through a mutant, and runs only those; a mutant that survives has run through them all, so slow ones
 * that say little of the folder are left out.
 */
const JUDGES = [
  ['client/http', ['*', 'http/*', 'jobs/*', 'runs/*', 'models/*', 'observe/*']],
  ['client/jobs', ['*', 'jobs/**/*', 'runs/*', 'observe/*']],
  ['client/runs', ['*', 'runs/*', 'jobs/*', 'models/*', 'observe/*', 'files/save-files']],
  [
    'webhooks',
    [
      '*inbox*',
      '*job*',
      '*run*',
      'dead-letters',
      'read-end',
      'receive-delivery',
      'retention',
      'subscribers',
      'engine/*',
    ],
  ],
] as const

const SDK = 'packages/sdk/src'

/** Patterns of test files. */
export function judges(target: string): string[] {
  const [own = SDK] = /^packages\/[^/]+\/src/.exec(target) ?? []
  if (own !== SDK) return [`${own}/**/*.test.ts`]
  const [room, names] = JUDGES.find(([name]) => target.startsWith(`${SDK}/${name}`)) ?? ['', ['**/*']]
  const [part] = room.split('/')
  const folder = part ? `${SDK}/${part}` : SDK
  return names.map((name) => `${folder}/${name}.test.ts`)
}
