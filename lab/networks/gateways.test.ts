import { ApiError, InvalidResponseError, type ModelRun, ModelRunError } from 'modelrun'
import { createProxy } from 'modelrun/proxy'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  findClosedPort,
  type HostileServer,
  type Script,
  startHostileServer,
} from '../../packages/integration-tests/src/hostile-service/hostile-server.ts'
import { createTestClient } from '../../packages/integration-tests/src/hostile-service/test-client.ts'
import { needs } from '../../packages/integration-tests/src/services/programs.ts'
import type { Service } from '../../packages/integration-tests/src/services/service-process.ts'
import { cutAfterJob, GATEWAY_CASES } from './gateway-cases.ts'
import { GATEWAYS } from './gateways.ts'

const INPUT = { prompt: 'a red fox' }
const portOf = (url: string) => new URL(url).port

describe.each(Object.entries(GATEWAYS))('behind %s, one run', (gateway, { programs, start }) => {
  const { isMissing, note } = needs(...programs)
  const script: Script = {}
  let service: HostileServer
  let gate: Service
  let sentBefore = 0

  beforeAll(async () => {
    if (isMissing) return
    service = await startHostileServer(script)
    gate = await start(portOf(service.url), portOf(await findClosedPort()))
    // The first request within a minute is below the limit.
    if (gateway === 'nginx') await fetch(`${urlOf('busy')}/v1/models`)
  })

  beforeEach(() => {
    sentBefore = isMissing ? 0 : postCount()
  })

  afterAll(async () => {
    await gate?.stop()
    await service?.close()
  })

  const postCount = () => service.requests.filter(({ method }) => method === 'POST').length
  const urlOf = (way: string) => `http://127.0.0.1:${gate.port}/${way}`

  const cases = GATEWAY_CASES.filter((one) => one.gateway === gateway)

  test.skipIf(isMissing).each(cases)(`reaches the service at most once when $name${note}`, async (one) => {
    script.POST = [one.service]
    const { posts, submission, said, status } = one.expected
    const error = await errorOf(createTestClient(urlOf(one.way)).run('aurora-image', INPUT))

    expect(postCount() - sentBefore).toBe(posts)
    expect(error).toMatchObject({ submission, status })
    expect(error.message).not.toContain('nothing is charged')
    expect(pageIn(error)).toMatch(said)
  })

  test.skipIf(isMissing).each(cases)(`of a page does too when $name${note}`, async (one) => {
    script.POST = [one.service]
    const { posts, submission, said, pageStatus } = one.expected
    const operator: unknown[] = []
    const page = createPage(createTestClient(urlOf(one.way)), operator)
    const error = await errorOf(page.run('aurora-image', INPUT))

    expect(postCount() - sentBefore).toBe(posts)
    expect(error).toMatchObject({ submission, status: pageStatus })
    expect(error.message).not.toContain('nothing is charged')
    expect(JSON.stringify(error)).not.toMatch(said)
    expect(operator.map(pageIn)).toContainEqual(expect.stringMatching(said))
  })

  // Varnish often drops the part of a body that it has.
  if (gateway !== 'nginx') return
  test.skipIf(isMissing)(`is not lost when the response breaks off after the id of the job${note}`, async () => {
    script.POST = [cutAfterJob]
    const job = await createTestClient(urlOf('plain')).submit('aurora-image', INPUT)
    expect([job.id, postCount() - sentBefore]).toEqual([expect.stringMatching(/^job_/), 1])
  })
})

/** The client in a page, whose requests go to a proxy. */
function createPage(client: ModelRun, errors: unknown[]): ModelRun {
  const proxy = createProxy({
    client,
    models: ['aurora-image'],
    secret: 'a secret of the test, 32 bytes long',
    authorize: () => ({ user: 'anna' }),
    onError: (error) => errors.push(error),
  })
  const fetch: typeof globalThis.fetch = (input, init) => {
    const request = new Request(input, init)
    request.headers.set('sec-fetch-site', 'same-origin')
    return proxy.handle(request)
  }
  // A program that is not a page needs a key. The proxy ignores it.
  return createTestClient('https://app.example.com/api/modelrun', { fetch })
}

async function errorOf(call: PromiseLike<unknown>): Promise<ModelRunError> {
  const settled: unknown = await call.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )
  if (!(settled instanceof ModelRunError)) throw settled
  return settled
}

/** What an error keeps of the received page. */
function pageIn(error: unknown): string {
  if (error instanceof ApiError) return typeof error.body === 'string' ? error.body : JSON.stringify(error.body)
  return error instanceof InvalidResponseError ? String(error.body) : ''
}
