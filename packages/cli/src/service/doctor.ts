import { randomUUID } from 'node:crypto'
import type { ModelRun } from 'modelrun'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { isClientError, messageOf, UsageError } from '../errors.ts'
import type { ServiceOptions } from '../options.ts'
import { createClient, type Found, findConnection, NO_KEY, NO_URL } from './service.ts'

interface Check {
  name: string
  /** `skipped`: it could not be checked, and that is not a problem. */
  state: keyof typeof MARKS
  text: string
}

const MARKS = {
  ok: { style: 'green', text: '✓' },
  problem: { style: 'red', text: '✗' },
  skipped: { style: 'dim', text: '–' },
} as const

const checkOf = (state: Check['state']) => (name: string, text: string) => ({ name, state, text })
const ok = checkOf('ok')
const problem = checkOf('problem')
const skipped = checkOf('skipped')

export async function runDoctor(_: [], options: ServiceOptions, context: CliContext): Promise<ExitCode> {
  let hasProblem = false
  for await (const check of allChecks(options, context)) {
    context.terminal.event('check', check)
    context.terminal.print([MARKS[check.state], ` ${check.name.padEnd(12)} ${check.text}`])
    hasProblem ||= check.state === 'problem'
  }
  return hasProblem ? EXIT.failed : EXIT.done
}

async function* allChecks(options: ServiceOptions, context: CliContext): AsyncGenerator<Check> {
  try {
    const { key, url } = findConnection(options, context)
    yield key === undefined ? problem('key', NO_KEY) : keyCheck(key)
    yield url === undefined ? problem('url', NO_URL) : ok('url', `${url.value}, from ${url.source}.`)
    if (key === undefined || url === undefined) return
    yield* await serviceChecks(await createClient(key.value, url.value, context))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    yield problem('settings', messageOf(error))
  }
}

function keyCheck({ value, source }: Found): Check {
  const [, kind] = /^sk_(live|test)_/.exec(value) ?? []
  if (kind !== undefined) return ok('key', `A ${kind} key from ${source}.`)
  return skipped('key', `A key from ${source}, neither sk_live_ nor sk_test_: the service decides.`)
}

/** The checks that need the service. None costs credits. */
async function serviceChecks(client: ModelRun): Promise<Check[]> {
  const sentAt = Date.now()
  // A job that does not exist: a key that may ask gets 404.
  const id = `modelrun-doctor-${randomUUID()}`
  try {
    const { total } = await client.models.list({ limit: 1 })
    return [
      ok('call', `The service accepts the key, and lists ${total} models, in ${Date.now() - sentAt} ms.`),
      ok('models:read', 'Allowed.'),
      await permissionCheck('jobs:read', () => client.jobs.get(id)),
      await permissionCheck('jobs:write', () => client.jobs.cancel(id)),
      skipped('models:run', 'Not checked: a run could cost credits.'),
    ]
  } catch (error) {
    if (!isClientError(error)) throw error
    const isOther = error.status !== undefined && !('apiCode' in error)
    const advice = isOther ? ' Is the url that of the service?' : ''
    return [problem(isForbidden(error) ? 'models:read' : 'call', `${messageOf(error)}${advice}`)]
  }
}

async function permissionCheck(permission: string, call: () => PromiseLike<unknown>): Promise<Check> {
  try {
    await call()
    return ok(permission, 'Allowed.')
  } catch (error) {
    if (!isClientError(error)) throw error
    if (error.status === 404) return ok(permission, 'Allowed.')
    if (isForbidden(error)) return problem(permission, `Not allowed. Give the key ${permission}, or use another one.`)
    return skipped(permission, `Not known: ${messageOf(error)}`)
  }
}

/** Another 403 comes from a gateway, or is about something else than permissions (section 5). */
function isForbidden(error: object): boolean {
  return 'apiCode' in error && error.apiCode === 'FORBIDDEN'
}
