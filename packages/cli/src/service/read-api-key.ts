import { readFileSync } from 'node:fs'
import type { CliContext } from '../cli-context.ts'
import { UsageError } from '../errors/usage-error.ts'

/** Where the API key comes from, and the key. */
export interface FoundKey {
  apiKey: string
  source: string
}

/** Reads the API key from a file or from the environment. An argument would show it to every user of the machine. @throws UsageError */
export function readApiKey(file: string | undefined, { env, terminal }: CliContext): FoundKey {
  const found =
    file === undefined ? { apiKey: env.MODELRUN_API_KEY ?? '', source: 'MODELRUN_API_KEY' } : readKeyFile(file)
  if (found.apiKey === '') {
    throw new UsageError(
      file === undefined
        ? 'There is no API key. Set the environment variable MODELRUN_API_KEY, or name a file: --api-key-file <file>. ' +
            '`modelrun dev` starts a service on this machine, and prints a key.'
        : `The file ${file} of --api-key-file is empty. Put the API key into it.`,
    )
  }
  terminal.apiKey = found.apiKey
  return found
}

function readKeyFile(file: string): FoundKey {
  try {
    return { apiKey: readFileSync(file, 'utf8').trim(), source: file }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`The API key cannot be read from --api-key-file ${file}: ${reason}`)
  }
}
