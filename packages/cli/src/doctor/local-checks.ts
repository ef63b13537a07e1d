import type { CliContext } from '../cli-context.ts'
import { UsageError } from '../errors/usage-error.ts'
import { prepareFolder } from '../files/save-outputs.ts'
import { stateFolder } from '../ledger/state-folder.ts'
import { readBaseUrl } from '../service/create-client.ts'
import { readApiKey } from '../service/read-api-key.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import { type Check, ok, problem, skipped } from './check.ts'

/** The checks that need no service. */
export async function localChecks(options: ServiceOptions, context: CliContext): Promise<Check[]> {
  return [nodeCheck(), await stateCheck(context), keyCheck(options, context), urlCheck(options, context)]
}

function nodeCheck(): Check {
  const { node } = process.versions
  if (process.getBuiltinModule?.('node:sqlite') !== undefined) return ok('node', `Node ${node}.`)
  return problem('node', `Node ${node} has no node:sqlite. \`modelrun batch\` needs Node 22.13 or later.`)
}

async function stateCheck({ env }: CliContext): Promise<Check> {
  const folder = stateFolder(env)
  try {
    await prepareFolder(folder)
    return ok('ledger', `Runs are written down in ${folder}.`)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return problem('ledger', `The folder ${folder} cannot be written. Set MODELRUN_STATE_DIR to one that can be.`)
  }
}

function keyCheck({ apiKeyFile }: ServiceOptions, context: CliContext): Check {
  try {
    const { apiKey, source } = readApiKey(apiKeyFile, context)
    const [kind] = /^sk_(live|test)_/.exec(apiKey) ?? []
    if (kind === undefined)
      return skipped('key', `A key from ${source}, neither sk_live_ nor sk_test_: the service decides.`)
    return ok('key', `A ${kind === 'sk_live_' ? 'live' : 'test'} key from ${source}.`)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return problem('key', error.message)
  }
}

function urlCheck(options: ServiceOptions, context: CliContext): Check {
  try {
    const url = readBaseUrl(options, context)
    const isPlain =
      URL.canParse(url) && new URL(url).protocol === 'http:' && !/^(localhost|127\.|\[::1\])/.test(new URL(url).host)
    if (isPlain) return problem('url', `${url} is not encrypted: everyone on the way can read the key. Use https.`)
    return ok('url', `${url}.`)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return problem('url', error.message)
  }
}
