import {
  type Checks,
  callback,
  checkEach,
  hasMethods,
  isRecord,
  isText,
  must,
  needs,
  notNegative,
  oneOf,
  positive,
  readOptions,
} from '@modelrun/kit'
import { rate } from '../engine/table-engine.ts'
import type { RunsOptions } from './runs-options.ts'

const atLeastOne = must('a number of at least 1', (value) => typeof value === 'number' && value >= 1)

const OPTIONS: Checks<RunsOptions> = {
  engine: needs("an engine of @modelrun/durable, such as `createSqliteEngine({ path: 'batch.db' })`", (value) =>
    hasMethods(value, 'work', 'tally'),
  ),
  client: needs('a client, such as `new ModelRun()`', (value) => hasMethods(value, 'submit')),
  name: must('a name', isText),
  concurrency: atLeastOne,
  maxRunning: atLeastOne,
  submitRate: rate,
  pollRate: rate,
  maxCredits: notNegative,
  onUnknown: oneOf('park', 'resubmit'),
  giveUpAfterMs: notNegative,
  onPause: callback,
  onError: callback,
  onMetric: callback,
  lockMs: positive,
  webhooks: must('an object, like { secret, publicUrl }', isRecord),
}

/** Checks the options of `createRuns`, also those of plain JavaScript. @throws ConfigurationError */
export function checkRunsOptions(options: RunsOptions): void {
  readOptions('createRuns', options, OPTIONS)
}

const LOOP = {
  items: needs(
    "a list of keys and inputs, such as `[{ key: 'poster-1', input: { prompt } }]`",
    (value) => hasMethods(value, Symbol.asyncIterator) || hasMethods(value, Symbol.iterator),
  ),
  concurrency: atLeastOne,
}

/** Checks what `runEach` is called with. @throws ConfigurationError */
export function checkLoop(items: unknown, concurrency: unknown): void {
  checkEach('runs.runEach', { items, concurrency }, LOOP)
}
