// The tests that judge a mutant: the unit tests beside the code and of what is built on it. Stryker notes which of them
// run through a mutant, and runs only those.
const client = [
  '*',
  'http/**/*',
  'jobs/**/*',
  'runs/**/*',
  'models/**/*',
  'files/**/*',
  'arguments/*',
  'errors/*',
  'observe/*',
]
const inbox = ['*', 'work/*', 'trust/*', 'recovery/*', 'receiving/*', 'expecting/*', 'follow/*']

/** Patterns of test files. */
export function judges(target: string): string[] {
  const isInbox = target.startsWith('packages/sdk/src/webhooks')
  const names = isInbox ? inbox.map((name) => `webhooks/${name}`) : client
  return names.map((name) => `packages/sdk/src/${name}.test.ts`)
}
