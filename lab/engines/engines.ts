import type { RecipeFault } from '../../packages/integration-tests/src/engines/order.ts'

/** An engine of others, and how its recipe is run here. */
export interface OtherEngine {
  /** The folder of its recipe. */
  name: string
  title: string
  /** Its npm package, for the version. */
  package: string
  /** What it does with a step that failed, at its defaults. */
  byDefault: string
  /** How a step dies between the POST and its report: as a process, or by an error where the engine runs in one process. */
  death: 'SIGKILL' | 'error'
  /** The faults that its recipe can have. */
  faults: readonly RecipeFault[]
  /** Whether what ran here repeats a step that failed. Default `true`. */
  repeats?: boolean
}

const ALL: readonly RecipeFault[] = ['lost-response', 'death', 'two-at-once', 'lost-webhook', 'lost-store']

const NO_WEBHOOK = ALL.filter((fault) => fault !== 'lost-webhook')

export const ENGINES: readonly OtherEngine[] = [
  {
    name: 'workflow',
    title: 'Vercel Workflow',
    package: 'workflow',
    byDefault: '3 retries',
    death: 'error',
    faults: ALL,
  },
  {
    name: 'restate',
    title: 'Restate',
    package: '@restatedev/restate-server',
    byDefault: 'retries without end',
    death: 'SIGKILL',
    faults: ALL,
  },
  {
    name: 'dbos',
    title: 'DBOS',
    package: '@dbos-inc/dbos-sdk',
    byDefault: 'no retries (here allowed); a step without a report runs again',
    death: 'SIGKILL',
    faults: ALL,
  },
  {
    name: 'lambda',
    title: 'Lambda durable functions',
    package: '@aws/durable-execution-sdk-js',
    byDefault: '5 retries',
    death: 'error',
    faults: NO_WEBHOOK,
  },
  {
    name: 'cloudflare',
    title: 'Cloudflare Workflows',
    package: 'miniflare',
    byDefault: '5 retries',
    death: 'error',
    // Its runs are in the storage of the Durable Object itself.
    faults: NO_WEBHOOK.filter((fault) => fault !== 'lost-store'),
  },
  {
    name: 'inngest',
    title: 'Inngest',
    package: 'inngest',
    byDefault: '4 retries; none in its test engine, which ran here',
    death: 'error',
    faults: NO_WEBHOOK.filter((fault) => fault !== 'lost-store'),
    repeats: false,
  },
  {
    name: 'temporal',
    title: 'Temporal',
    package: '@temporalio/activity',
    byDefault: 'retries without end; here the activity in a loop',
    death: 'error',
    faults: NO_WEBHOOK,
  },
]
