import { callback, having, isRecord, must, readOptions } from '@modelrun/kit'
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

/** An inbox of a test. That of `modelrun/webhooks` is one: this package does not depend on the client. */
export interface TestInbox {
  /** Gets the deliveries of the test's account. */
  handle(request: Request): Promise<Response>
  /** Waits for running handlers when the test has ended. */
  drain(): Promise<unknown>
}

/** What the inbox of a test is made of. */
export interface InboxSetting extends ServerFixtures {
  /** For `createInbox`: it signs callback URLs. */
  secret: string
  /** For `createInbox`. Deliveries reach the inbox whatever their URL is. */
  publicUrl: string
}

/** vitest's `test` with a server of its own for each test: the fixtures are `server`, `apiKey` and `clientOptions`. */
export type ServerTest = TestAPI<ServerFixtures>

/** A {@link ServerTest} with one more fixture, `inbox`. */
export type InboxTest<Inbox extends TestInbox> = TestAPI<ServerFixtures & { inbox: Inbox }>

/** How the inbox of each test is made. */
export interface InboxTestOptions<Inbox extends TestInbox> {
  /**
   * Makes the inbox of a test, which gets the deliveries of the test's account and is drained at the end. Called for tests that
   * ask for the fixture `inbox`.
   */
  inbox(setting: InboxSetting): Inbox
}

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
const OWN_SERVER = { serverOptions: must('the options of a server', isRecord), inbox: callback }
const SHARED_SERVER = {
  server: having('a reference server', 'createKey', 'report'),
  keyOptions: must('the options of a key', isRecord),
  inbox: callback,
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
 *
 * @example
 * const test = createTest({
 *   inbox: ({ clientOptions, secret, publicUrl }) =>
 *     createInbox({ client: new ModelRun(clientOptions), secret, publicUrl, onSucceeded }),
 * })
 */
export function createTest<Inbox extends TestInbox>(
  options: CreateTestOptions & InboxTestOptions<Inbox>,
): InboxTest<Inbox>
export function createTest(options?: CreateTestOptions): ServerTest
export function createTest(options: CreateTestOptions & Partial<InboxTestOptions<TestInbox>> = {}): ServerTest {
  const { inbox: makeInbox, ...serverOptions } = readOptions<typeof options>(
    'createTest',
    options,
    'server' in options ? SHARED_SERVER : OWN_SERVER,
  )
  const test = createServerTest(serverOptions)
  return makeInbox === undefined ? test : withInbox(test, makeInbox)
}

function createServerTest(options: CreateTestOptions): ServerTest {
  return vitestTest.extend<ServerFixtures & { scope: TestScope }>({
    scope: async ({ task }, use) => {
      const scope = openScope(options)
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

function withInbox(test: ServerTest, makeInbox: InboxTestOptions<TestInbox>['inbox']): InboxTest<TestInbox> {
  return test.extend<{ inbox: TestInbox }>({
    inbox: async ({ server, apiKey, clientOptions }, use) => {
      const secret = 'the secret of a test: 32 bytes or more'
      const inbox = makeInbox({ server, apiKey, clientOptions, secret, publicUrl: 'https://inbox.test/webhooks' })
      server.webhooks.deliver((request) => inbox.handle(request), apiKey)
      await use(inbox)
      await inbox.drain()
      server.webhooks.deliver(undefined, apiKey)
    },
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
