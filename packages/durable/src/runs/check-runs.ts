import { ConfigurationError } from 'modelrun'
import type { RunsOptions } from './runs-options.ts'

/** Checks the options of `createRuns`, also those of plain JavaScript. @throws ConfigurationError */
export function checkRunsOptions(options: RunsOptions): void {
  const {
    engine,
    client,
    onUnknown = 'park',
    maxCredits,
    maxRunning,
    giveUpAfterMs,
  } = Object(options) as Partial<RunsOptions>
  const isEngine = typeof engine?.work === 'function' && typeof engine.tally === 'function'
  const wrong = [
    isEngine ||
      wrongOption(
        'engine',
        "an engine of @modelrun/durable, such as `createSqliteEngine({ path: 'batch.db' })`",
        engine,
      ),
    typeof client?.submit === 'function' || wrongOption('client', 'a client, such as `new ModelRun()`', client),
    onUnknown === 'park' || onUnknown === 'resubmit' || wrongOption('onUnknown', "'park' or 'resubmit'", onUnknown),
    maxRunning === undefined || maxRunning >= 1 || wrongOption('maxRunning', 'a number from 1 on', maxRunning),
    ...Object.entries({ maxCredits, giveUpAfterMs }).map(
      ([name, value]) => value === undefined || value >= 0 || wrongOption(name, 'a number from 0 on', value),
    ),
  ].filter((problem) => problem !== true)
  if (wrong.length > 0) throw new ConfigurationError({ message: `createRuns takes ${wrong.join(' And ')}` })
}

/** Checks what `runEach` is called with. @throws ConfigurationError */
export function checkLoop(items: unknown, concurrency: unknown): void {
  const isIterable = Symbol.asyncIterator in Object(items) || Symbol.iterator in Object(items)
  const isCount = typeof concurrency === 'number' && concurrency >= 1
  const wrong = [
    isIterable ||
      wrongOption('items', "a list of keys and inputs, such as `[{ key: 'poster-1', input: { prompt } }]`", items),
    isCount || wrongOption('concurrency', 'a number from 1 on', concurrency),
  ].filter((problem) => problem !== true)
  if (wrong.length > 0) throw new ConfigurationError({ message: `runEach takes ${wrong.join(' And ')}` })
}

function wrongOption(name: string, what: string, value: unknown): string {
  const got = typeof value === 'object' || typeof value === 'function' ? 'something else' : String(value)
  return `${name}: ${what}. It got ${got}.`
}
