// The folders and files whose tests judge a mutant: beside the code first, then what is built on it.
const client = ['*.test.ts', '{http,jobs,runs,models,files,arguments,errors,observe}/**/*.test.ts']
const inbox = ['webhooks/**/*.test.ts']

export function judges(target: string): string[] {
  const tests = target.startsWith('packages/sdk/src/webhooks') ? inbox : client
  return tests.map((pattern) => `packages/sdk/src/${pattern}`)
}
