import { text } from 'node:stream/consumers'
import { ModelRun } from 'modelrun'
import { parseWebhook } from 'modelrun/webhooks'
import { beforeEach, describe, expect, it } from 'vitest'
import { CliHarness, serve } from '../../test/cli-harness.ts'

let cli: CliHarness
let url: string
let deliveries: Record<string, unknown>[]
let status: number

beforeEach(async () => {
  cli = await CliHarness.create()
  deliveries = []
  status = 200
  const receiver = await serve(async (request, response) => {
    deliveries.push(JSON.parse(await text(request)))
    response.writeHead(status).end()
  })
  url = `${receiver}/webhooks`
})

async function startRun(...more: string[]): Promise<string> {
  const { stdout } = await cli.run(['run', 'aurora-image', '--prompt', 'a fox', '--no-wait', ...more])
  return stdout.trim()
}

describe('modelrun listen', () => {
  it('posts the body that the service posts (section 6)', async () => {
    const failing = { result: 'failed' as const, error: { code: 'PROVIDER_FAILURE', message: 'no paint' } }
    cli.server.script('aurora-image', [{ result: 'succeeded' }, failing])
    const { run } = { run: { prompt: 'a fox' } }
    const theirs = await deliveredByService(run)
    const id = await startRun()
    const { code, stdout } = await cli.run(['listen', id, '--forward-to', url])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^✓ job_\w+ failed: HTTP 200 in \d+ ms\n$/)])
    expect(deliveries).toEqual([{ job_id: id, status: 'failed', error: failing.error }])
    const next = await startRun()
    await cli.run(['listen', next, '--forward-to', url])
    expect(Object.keys(deliveries[1] ?? {})).toEqual(Object.keys(theirs))
    expect(await parseWebhook(JSON.stringify(deliveries[1]))).toMatchObject({ job_id: next, credits_used: 4 })
  })

  it('follows runs that are started here, until Ctrl-C', async () => {
    const listening = cli.start(['listen', '--forward-to', url, '--json'])
    await expect.poll(() => listening.printed.stderr).toContain('Ctrl-C stops.')
    const id = await startRun()
    await expect.poll(() => deliveries, { timeout: 10_000 }).toMatchObject([{ job_id: id, status: 'succeeded' }])
    await expect.poll(() => listening.printed.stdout).toContain('"delivered":true')
    listening.child.kill('SIGINT')
    expect(await listening.ended).toMatchObject({ code: 0 })
  })

  it('doubles deliveries', async () => {
    await cli.run(['listen', await startRun(), '--forward-to', url, '--duplicate', '1'])
    expect(deliveries).toHaveLength(2)
    expect(deliveries[0]).toEqual(deliveries[1])
  })

  it('ends with exit code 1 when the receiver does not take a delivery', async () => {
    status = 500
    const { code, stdout } = await cli.run(['listen', await startRun(), '--forward-to', url])
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(
        /: HTTP 500 in \d+ ms\. The service would not send it again: respond with 2xx within 10 s\.$/m,
      ),
    ])
  })
})

describe('modelrun trigger', () => {
  it('posts a made-up delivery with the members that are given', async () => {
    const data = '{"error":{"code":"NSFW","message":"x"}}'
    const { code } = await cli.run(['trigger', 'failed', '--forward-to', url, '--job-id', 'job_1', '--data', data])
    expect([code, deliveries]).toEqual([
      0,
      [{ job_id: 'job_1', status: 'failed', error: { code: 'NSFW', message: 'x' } }],
    ])
  })

  it('posts the delivery of a real job of the service of modelrun dev', async () => {
    const data = '{"error":{"code":"NSFW","message":"x"}}'
    expect(await cli.run(['trigger', 'succeeded', '--forward-to', url])).toMatchObject({ code: 0, stderr: '' })
    expect(await cli.run(['trigger', 'failed', '--forward-to', url, '--data', data])).toMatchObject({ code: 0 })
    const client = new ModelRun(cli.server.clientOptions())
    const [succeeded, failed] = await Promise.all(deliveries.map(({ job_id }) => client.jobs.get(String(job_id))))
    expect(deliveries).toMatchObject([{ output: succeeded?.output }, { error: { code: 'NSFW', message: 'x' } }])
    expect([succeeded?.status, failed?.error]).toEqual(['succeeded', { code: 'NSFW', message: 'x' }])
  })

  it('runs nothing at another service, and says that the delivery is made up', async () => {
    const requests: string[] = []
    const other = await serve(({ method, url }, response) => {
      requests.push(`${method} ${url}`)
      response.writeHead(404).end('{}')
    })
    const { code, stderr } = await cli.run(['trigger', 'succeeded', '--forward-to', url, '--base-url', other])
    expect([code, deliveries.length, stderr]).toEqual([0, 1, expect.stringContaining('This job is made up')])
    expect(requests).toEqual(['GET /_reference/models'])
  })

  it('rejects members that no job ends with', async () => {
    const args = ['trigger', 'succeeded', '--forward-to', url, '--data', '{"output":5}']
    expect(await cli.run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('output') })
    expect(deliveries).toEqual([])
  })

  it.each([
    [['trigger', 'started', '--forward-to', 'localhost:3000'], 'Allowed choices are succeeded, failed, unknown'],
    [['trigger', 'failed'], "required option '--forward-to <url>' not specified"],
    [['trigger', 'failed', '--forward-to', 'nowhere'], 'It must be an http url'],
    [['trigger', 'failed', '--forward-to', 'localhost:3000', '--data', '[]'], '--data must be a JSON object'],
  ])('ends with exit code 2 for %j', async (args, message) => {
    expect(await cli.run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  })
})

/** The delivery of the service itself. */
async function deliveredByService(input: object): Promise<object> {
  await fetch(`${cli.url}/v1/models/aurora-image/run`, {
    method: 'POST',
    headers: { authorization: `Bearer ${cli.server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input, webhook_url: url }),
  })
  await cli.server.webhooks.next()
  return deliveries.splice(0)[0] ?? {}
}
