import { ModelRun } from 'modelrun'
import { createInbox, type Inbox, type InboxOptions } from 'modelrun/webhooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cli, serve, startRun, useCli } from '../../test/cli-harness.ts'

const SECRET = 'a secret of the test, which has 32 bytes'
const OTHER_URL = 'https://app.example.com/webhooks'

let inbox: Inbox
let url: string
let handled: string[]

useCli()
beforeEach(async () => {
  handled = []
  url = `${await serve((request, response) => inbox.node()(request, response))}/webhooks`
})

afterEach(() => inbox.drain())

/** The inbox of an app on this machine. */
function openInbox(options: InboxOptions = {}): void {
  const onSucceeded = ({ job_id }: { job_id: string }) => void handled.push(job_id)
  inbox = createInbox({ secret: SECRET, publicUrl: url, ...options, onSucceeded })
}

describe('a receiver with an inbox', () => {
  it('that asks the service about every delivery handles each job that `listen` delivers once', async () => {
    openInbox({ client: new ModelRun({ apiKey: cli.server.apiKey, baseUrl: cli.url }) })
    const ids = [await startRun(), await startRun()]
    const args = ['listen', ...ids, '--forward-to', url, '--duplicate', '1']
    expect(await cli.run(args, { env: { MODELRUN_INBOX_SECRET: SECRET } })).toMatchObject({ code: 0, stderr: '' })
    await Promise.all(ids.map((id) => inbox.waitFor(id)))
    expect(handled.toSorted()).toEqual(ids.toSorted())
  })

  it.for<[string, InboxOptions, args: string[], secret: string]>([
    ['a secret', {}, [], SECRET],
    ['several secrets', { secret: { fresh: SECRET } }, [], JSON.stringify({ fresh: SECRET })],
    ['another publicUrl', { publicUrl: OTHER_URL }, ['--public-url', OTHER_URL], SECRET],
    ['no publicUrl', { publicUrl: undefined }, ['--public-url', 'none'], SECRET],
  ])('takes what `trigger` posts, with %s', async ([, options, more, secret]) => {
    openInbox(options)
    const args = ['trigger', 'succeeded', '--forward-to', url, '--job-id', 'job_1', '--duplicate', '1', ...more]
    expect(await cli.run(args, { env: { MODELRUN_INBOX_SECRET: secret } })).toMatchObject({ code: 0 })
    await inbox.waitFor('job_1')
    expect(handled).toEqual(['job_1'])
  })

  it.each<[string, InboxOptions, secret: string | undefined]>([
    ['a wrong secret', {}, 'another secret of the test, with 32 bytes'],
    ['no secret', {}, undefined],
    ['another publicUrl', { publicUrl: OTHER_URL }, SECRET],
  ])('says once what to check when it rejects deliveries with %s', async (_, options, secret) => {
    openInbox(options)
    const args = ['trigger', 'succeeded', '--forward-to', url, '--job-id', 'job_1', '--duplicate', '1']
    const { code, stdout, stderr } = await cli.run(args, { env: { MODELRUN_INBOX_SECRET: secret } })
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^✗ job_1 succeeded: HTTP 401/)])
    const advice = /MODELRUN_INBOX_SECRET is its `secret`, and when --public-url is its `publicUrl`/g
    expect(stderr.match(advice)).toHaveLength(1)
    if (secret !== undefined) expect(stdout + stderr).not.toContain(secret)
    expect(handled).toEqual([])
  })

  it('gets nothing with a secret that signs nothing, which is not printed', async () => {
    openInbox()
    const env = { MODELRUN_INBOX_SECRET: 'too short' }
    const { code, stderr } = await cli.run(['listen', 'job_1', '--forward-to', url], { env })
    expect([code, stderr]).toEqual([2, expect.stringContaining('must have at least 32')])
    expect(stderr).not.toContain('too short')
  })
})
