import type { Command } from 'commander'

/** Options of every command that calls the service. */
export interface ServiceOptions {
  apiKeyFile?: string | undefined
  baseUrl?: string | undefined
  json?: boolean | undefined
}

/** Adds the options of {@link ServiceOptions}. */
export function addServiceOptions(command: Command): Command {
  return addConnectionOptions(command).option('--json', 'print one JSON object a line')
}

/** Adds the options that lead to the service. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option('--api-key-file <file>', 'read the API key from a file (default: the variable MODELRUN_API_KEY)')
    .option('--base-url <url>', 'url of the service (default: the variable MODELRUN_BASE_URL)')
}
