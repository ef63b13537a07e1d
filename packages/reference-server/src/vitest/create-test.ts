import { having, isRecord, must, readOptions } from '@modelrun/kit'
import { type TestAPI, test as vitestTest } from 'vitest'
import { createReferenceServer, type ReferenceServer, type ServerClientOptions } from '../reference-server.ts'
import type { ReferenceServerOptions } from '../service/options.ts'
import { LeftoversError, type Report } from '../service/report.ts'
import type { CreateKeyOptions } from '../service/tenants.ts'

/** What each test gets, if it asks for it. */
interface ServerFixtures {
  /** The test's own server, or the shared one. */
  server: ReferenceServer
  /** An API key of the test alone. A shared server takes it wherever it takes a `key`. */
  apiKey: string
  /** For `new ModelRun(clientOptions)`: the test's own key, and waits that run on the server's clock. */
  clientOptions: ServerClientOptions
}

/** vitest's `test` with a server of its own for each test: the fixtures are `server`, `apiKey` and `clientOptions`. */
export type ServerTest = TestAPI<ServerFixtures>

/** Where the server of each test comes from. */
export type CreateTestOptions =
  | {
      /** How to create the server of each test. Default of `clock`: `'auto'`, of `strict`: `true`. */
      serverOptions?: ReferenceServerOptions | undefined
    }
  | {
      /** A server that tests share, even at the same time: each gets a key, and so an account, of its own. */
      server: ReferenceServer
      /** What the key of each test may do. */
      keyOptions?: CreateKeyOptions | undefined
    }

/** The server of one test. */
interface TestScope {
  server: ReferenceServer
  apiKey: string
  /** Ends what the test alone used, and says what it left behind. */
  close(): Promise<Report>
}

/** The options of the two forms; the server checks its own. */
const OWN_SERVER = { serverOptions: must('the options of a server', isRecord) }
const SHARED_SERVER = {
  server: having('a reference server', 'createKey', 'report'),
  keyOptions: must('the options of a key', isRecord),
}

/**
 * Makes a `test` like that of vitest, with a reference server.
 *
 * A test fails when it leaves something behind: jobs that have not ended, results that were not delivered, faults and
 * scripts that nothing used, requests for a path that the service does not have. `server.reset()` at the end of a test
 * that does so on purpose forgets it.
 *
 * @throws ConfigurationError for an option that does not exist, or does not go with the others
 *
 * @example
 * const server = createReferenceServer({ clock: 'auto' })
 * const test = createTest({ server }) // one server for all tests, an account for each
 */
export function createTest(options: CreateTestOptions = {}): ServerTest {
  const checks = 'server' in options ? SHARED_SERVER : OWN_SERVER
  const checked = readOptions<CreateTestOptions>('createTest', options, checks)
  return vitestTest.extend<ServerFixtures & { scope: TestScope }>({
    scope: async ({ task }, use) => {
      const scope = openScope(checked)
      await use(scope)
      const report = await scope.close()
      // A failed test did not reach its clean-up.
      if (!report.isClean && task.result?.state !== 'fail') throw new LeftoversError(report)
    },
    server: ({ scope: stage }, use) => use(stage.server),
    apiKey: ({ scope: stage }, use) => use(stage.apiKey),
    clientOptions: ({ scope: stage }, use) => use(stage.server.clientOptions(stage.apiKey)),
  })
}

/**
 * A `test` like that of vitest; each test has a reference server of its own, with the clock `'auto'`. It fails when the
 * test leaves something behind: see `createTest`.
 *
 * @example
 * test('an image is made', async ({ clientOptions, expect }) => {
 *   const client = new ModelRun(clientOptions)
 *   expect((await client.run('aurora-image', { prompt: 'a fox' })).status).toBe('succeeded')
 * })
 */
export const test: ServerTest = createTest()

function openScope(options: CreateTestOptions): TestScope {
  return 'server' in options ? openAccount(options.server, options.keyOptions) : openServer(options.serverOptions)
}

function openServer(options: ReferenceServerOptions = {}): TestScope {
  const server = createReferenceServer({ clock: 'auto', strict: true, ...options })
  const close = async () => {
    const report = server.report()
    await server.close()
    return report
  }
  return { server, apiKey: server.apiKey, close }
}

function openAccount(server: ReferenceServer, options: CreateKeyOptions = {}): TestScope {
  const { key: apiKey } = server.createKey(options)
  const close = async () => {
    const report = server.report(apiKey)
    server.reset(apiKey)
    server.revokeKey(apiKey)
    return report
  }
  return { server, apiKey, close }
}
