import type { ResultReceiver, RunOptions } from '../src/client/runs/run-options.ts'

/** Options of a run with a receiver whose hooks work, except for the ones that the test replaces, also with wrong values. */
export function receiverOf(replaced: object = {}): Required<Pick<RunOptions, 'webhook'>> & RunOptions {
  const webhook: ResultReceiver = {
    prepare: async () => ({ url: 'https://hooks.example.com/', ref: 'ref_1' }),
    expect: async () => {},
    forget: async () => {},
    listen: () => () => {},
  }
  return { webhook: { ...webhook, ...replaced } as ResultReceiver }
}
