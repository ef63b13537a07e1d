import { createRuns, type Runs } from '@modelrun/durable'
import { createPostgresEngine } from '@modelrun/durable/postgres'
import { ConfigurationError, InputValidationError, ModelRun } from 'modelrun'

let opening: Promise<Runs> | undefined

/** Returns the batch that the steps of all workflows share. The first step of a process opens it. */
export function openRuns(): Promise<Runs> {
  opening ??= open().catch((error) => {
    opening = undefined
    throw error
  })
  return opening
}

async function open(): Promise<Runs> {
  const engine = createPostgresEngine(process.env.DATABASE_URL ?? 'postgres://localhost/app')
  await engine.setup()
  // API key and base URL come from the environment.
  return createRuns({ engine, client: new ModelRun(), name: 'videos' })
}

/** Whether a call can never succeed, as with the key of another run or a NaN in its input. Engines repeat what a step throws: not this. */
export function isMistake(error: unknown): error is ConfigurationError | InputValidationError {
  return error instanceof ConfigurationError || error instanceof InputValidationError
}
