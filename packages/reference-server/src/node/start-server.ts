import { ConfigurationError, isRecord, memberOf } from '@modelrun/kit'
import type { CatalogModel } from '../domain/catalog.ts'
import { type ReferenceServer, serverOf } from '../reference-server.ts'
import { type ReferenceServerOptions, type ResolvedOptions, resolveOptions } from '../service/options.ts'
import { Service } from '../service/service.ts'
import type { ServeCommand } from './cli-options.ts'
import type { FaultSetting } from './cli-settings.ts'
import { UsageError } from './errors.ts'
import { readJsonFile } from './json-file.ts'
import { loadRecording } from './recording-file.ts'

/**
 * Makes the server that the command line asks for; it does not listen yet.
 *
 * @param log gets one line for each request and each delivery
 * @throws UsageError when a file or the value of an option is invalid
 */
export async function startServer(command: ServeCommand, log: ((line: string) => void) | undefined) {
  const service = new Service(checkOptions({ ...(await readOptions(command)), log }, command))
  const server = serverOf(service)
  for (const setting of command.faults) addFault(server, setting)
  return { server, service }
}

async function readOptions(command: ServeCommand): Promise<ReferenceServerOptions> {
  const { clock, seed, key: apiKey, credits, latency, controlToken } = command
  // Unchecked: the check of the options rejects what is not a catalog.
  const catalog = (await readFileOf('catalog', command)) as readonly CatalogModel[] | undefined
  const assumptions = { ...(await readProfile(command)), ...command.assumptions }
  const recorded = command.replay === undefined ? { catalog } : await loadRecording(command.replay)
  return { clock, seed, apiKey, credits, latency, assumptions, controlToken, ...recorded }
}

/** The profile is in a report, or alone in the file. Its members are checked with those of `--assume`. */
async function readProfile(command: ServeCommand): Promise<Record<string, unknown>> {
  const report = await readFileOf('profile', command)
  const profile = memberOf(report, 'profile') ?? report ?? {}
  if (isRecord(profile)) return profile
  throw new UsageError(`The profile ${command.profile} must be an object.`)
}

async function readFileOf(option: 'catalog' | 'profile', { [option]: path }: ServeCommand): Promise<unknown> {
  return path === undefined ? undefined : await readJsonFile(option, path)
}

/** Apart from the server's creation, so that a defect there is not taken for a mistake in the command line. */
function checkOptions(
  options: ReferenceServerOptions,
  { replay, catalog = replay, profile }: ServeCommand,
): ResolvedOptions {
  try {
    return resolveOptions(options)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    const message = error.message
      .replace(/ of `createReferenceServer`/, '')
      .replace(/^`catalog`/, () => `The catalog ${catalog}`)
      .replace(/^`assumptions`/, () => (profile === undefined ? '--assume' : `--assume, or the profile ${profile},`))
      .replace(/^`apiKey`/, '--key')
      .replace(/^`controlToken`/, '--control-token')
      .replace(/^`(\w+)`/, '--$1')
    throw new UsageError(message)
  }
}

function addFault(server: ReferenceServer, { text, fault }: FaultSetting): void {
  try {
    // Unchecked: `add` rejects what is not a fault.
    server.faults.add(fault as Parameters<typeof server.faults.add>[0])
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw new UsageError(`--fault ${text}: ${error.message.replace(/^`fault` of `faults.add` (is wrong: )?/, '')}`)
  }
}
