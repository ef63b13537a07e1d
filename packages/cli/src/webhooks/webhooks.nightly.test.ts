import { text } from 'node:stream/consumers'
import { parseWebhook } from 'modelrun/webhooks'
import { beforeEach, describe, expect, it } from 'vitest'
import { cli, serve, startRun, useCli } from '../../test/cli-harness.ts'

let url: string
let deliveries: Record<string, unknown>[]
let status: number

useCli()
beforeEach(async () => {
  deliveries = []
  status = 200
  const receiver = await serve(async (request, response) => {
    deliveries.push(JSON.parse(await text(request)))
    response.writeHead(status).end()
  })
  url = `${receiver}/webhooks`
})

describe('modelrun listen', () => {
  it('posts the body that the service posts (section 6), as often as --duplicate says', async () => {
    const error = { code: 'PROVIDER_FAILURE', message: 'no paint' }
    cli.server.script('aurora-image', [{ result: 'succeeded' }, { result: 'failed', error }])
    const theirs = await deliveredByService()
    const id = await startRun()
    const { code, stdout } = await cli.run(['listen', id, '--forward-to', url, '--duplicate', '1'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^(✓ job_\w+ failed: HTTP 200 in \d+ ms\n){2}$/)])
    const failure = { job_id: id, status: 'failed', error }
    expect(deliveries).toEqual([failure, failure])
    const next = await startRun()
    await cli.run(['listen', next, '--forward-to', url])
    expect(Object.keys(deliveries[2] ?? {})).toEqual(Object.keys(theirs))
    expect(await parseWebhook(JSON.stringify(deliveries[2]))).toMatchObject({ job_id: next, credits_used: 4 })
  })

  it('follows runs that are started here, until Ctrl-C', async () => {
    const listening = cli.start(['listen', '--forward-to', url, '--json'])
    await expect.poll(() => listening.printed.stderr).toContain('Ctrl-C stops.')
    const id = await startRun()
    await expect.poll(() => listening.printed.stdout).toContain('"delivered":true')
    expect(deliveries).toMatchObject([{ job_id: id, status: 'succeeded' }])
    listening.child.kill('SIGINT')
    expect(await listening.ended).toMatchObject({ code: 0 })
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
  it('posts a delivery with the members that are given, and says when its job is made up', async () => {
    const error = { code: 'NSFW', message: 'x' }
    const args = ['trigger', 'failed', '--forward-to', url, '--data', JSON.stringify({ error })]
    expect((await cli.run(args)).stderr).toContain('This job is made up: an inbox with a `client` drops its delivery.')
    expect(await cli.run([...args, '--job-id', 'job_1'])).toMatchObject({ code: 0, stderr: '' })
    expect(deliveries).toEqual([expect.anything(), { job_id: 'job_1', status: 'failed', error }])
    expect(cli.inputs()).toEqual([])
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
async function deliveredByService(): Promise<object> {
  await fetch(`${cli.url}/v1/models/aurora-image/run`, {
    method: 'POST',
    headers: { authorization: `Bearer ${cli.server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: { prompt: 'a fox' }, webhook_url: url }),
  })
  await cli.server.webhooks.next()
  return deliveries.splice(0)[0] ?? {}
}
