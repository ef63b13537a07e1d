import { ConfigurationError } from 'modelrun'

/** The table that has a row for each version that was made. Tables without it are of version 1. */
export const VERSION_TABLE = 'modelrun_version'

/** What is stored is newer than this program. */
export function tooNew(version: number, known: number): ConfigurationError {
  const message = `What the engine has stored is of version ${version}: a newer @modelrun/durable has migrated it. This one knows versions up to ${known}. Update it in this program.`
  return new ConfigurationError({ message })
}
