import { type TestAPI, test as vitestTest } from 'vitest'
import { createReferenceServer, type ReferenceServer, type ServerClientOptions } from '../reference-server.ts'
import type { ReferenceServerOptions } from '../service/options.ts'
import { LeftoversError } from '../service/report.ts'

/** What each test gets, if it asks for it. */
interface ServerFixtures {
  /** The test's own server. */
  server: ReferenceServer
  /** Its first API key. */
  apiKey: string
  /** For `new ModelRun(clientOptions)`: the server's key, and waits that run on its clock. */
  clientOptions: ServerClientOptions
}

/** vitest's `test` with a server of its own for each test: the fixtures are `server`, `apiKey` and `clientOptions`. */
export type ServerTest = TestAPI<ServerFixtures>

/**
 * Makes a `test` like that of vitest, with a reference server for each test.
 *
 * A test fails when it leaves something behind: jobs that have not ended, results that were not delivered, faults and
 * scripts that nothing used, requests for a path that the service does not have. `server.reset()` at the end of a test
 * that does so on purpose forgets it.
 *
 * @param options how to create the servers. Default of `clock`: `'auto'`.
 * @throws ConfigurationError when the first test starts, for an option that is wrong
 */
export function createTest(options: ReferenceServerOptions = {}): ServerTest {
  return vitestTest.extend<ServerFixtures>({
    server: async ({ task }, use) => {
      const server = createReferenceServer({ clock: 'auto', ...options })
      await use(server)
      const report = server.report()
      await server.close()
      // A failed test did not reach its clean-up.
      if (!report.isClean && task.result?.state !== 'fail') throw new LeftoversError(report)
    },
    apiKey: ({ server }, use) => use(server.apiKey),
    clientOptions: ({ server }, use) => use(server.clientOptions()),
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
