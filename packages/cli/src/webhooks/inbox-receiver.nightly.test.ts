import { ModelRun } from 'modelrun'
import { createInbox, type Inbox, type InboxOptions } from 'modelrun/webhooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CliHarness, serve } from '../../test/cli-harness.ts'

const SECRET = 'a secret of the test, which has 32 bytes'
const env = { MODELRUN_INBOX_SECRET: SECRET }

let cli: CliHarness
let inbox: Inbox
let url: string
let handled: string[]

beforeEach(async () => {
  cli = await CliHarness.create()
  handled = []
  url = `${await serve((request, response) => inbox.node()(request, response))}/webhooks`
})

afterEach(() => inbox.drain())

/** The inbox of an app on this machine. */
function openInbox(options: InboxOptions = {}): Inbox {
  const onSucceeded = ({ job_id }: { job_id: string }) => void handled.push(job_id)
  return createInbox({ secret: SECRET, publicUrl: url, ...options, onSucceeded })
}

/** An app that asks the service about every delivery. */
function verifyingInbox(): Inbox {
  return openInbox({ client: new ModelRun({ apiKey: cli.server.apiKey, baseUrl: cli.url }) })
}

async function startRun(): Promise<string> {
  const { stdout } = await cli.run(['run', 'aurora-image', '--prompt', 'a fox', '--no-wait'])
  return stdout.trim()
}

describe('modelrun listen with MODELRUN_INBOX_SECRET', () => {
  it('delivers to an app with the inbox of the SDK, which handles each job once', async () => {
    inbox = verifyingInbox()
    const ids = [await startRun(), await startRun()]
    const args = ['listen', ...ids, '--forward-to', url, '--duplicate', '1']
    expect(await cli.run(args, { env })).toMatchObject({ code: 0, stderr: '' })
    await Promise.all(ids.map((id) => inbox.waitFor(id)))
    expect(handled.toSorted()).toEqual(ids.toSorted())
  })

  it('signs for the publicUrl of the inbox when it is another url', async () => {
    inbox = openInbox({ publicUrl: 'https://app.example.com/webhooks' })
    const id = await startRun()
    const without = await cli.run(['listen', id, '--forward-to', url], { env })
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('--public-url <url>')])
    const args = ['listen', id, '--forward-to', url, '--public-url', 'https://app.example.com/webhooks']
    expect(await cli.run(args, { env })).toMatchObject({ code: 0 })
    await inbox.drain()
    inbox = openInbox({ publicUrl: undefined })
    expect(await cli.run(['listen', id, '--forward-to', url, '--public-url', 'none'], { env })).toMatchObject({
      code: 0,
    })
  })

  it.each([
    ['a wrong secret', 'another secret of the test, with 32 bytes', 'when MODELRUN_INBOX_SECRET is its `secret`'],
    ['no secret', undefined, 'set the variable MODELRUN_INBOX_SECRET to it'],
  ])('says what to do when the inbox rejects %s', async (_, secret, advice) => {
    inbox = openInbox()
    const ids = [await startRun(), await startRun()]
    const { code, stdout, stderr } = await cli.run(['listen', ...ids, '--forward-to', url], {
      env: { MODELRUN_INBOX_SECRET: secret },
    })
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^✗ job_\w+ succeeded: HTTP 401/)])
    // Once, however many deliveries are rejected.
    expect(stderr.split(advice)).toHaveLength(2)
    if (secret !== undefined) expect(stdout + stderr).not.toContain(secret)
    expect(handled).toEqual([])
  })

  it('ends with exit code 2 for a secret that signs nothing, and does not print it', async () => {
    inbox = openInbox()
    const wrong = await cli.run(['listen', 'job_1', '--forward-to', url], {
      env: { MODELRUN_INBOX_SECRET: 'too short' },
    })
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('must have at least 32')])
    expect(wrong.stderr).not.toContain('too short')
    const needless = await cli.run(['listen', 'job_1', '--forward-to', url, '--public-url', url])
    expect([needless.code, needless.stderr]).toEqual([
      2,
      expect.stringContaining('--public-url needs the variable MODELRUN_INBOX_SECRET'),
    ])
  })
})

describe('modelrun trigger with MODELRUN_INBOX_SECRET', () => {
  it('delivers to an inbox, also with one of several secrets', async () => {
    inbox = openInbox()
    const args = ['trigger', 'succeeded', '--forward-to', url, '--job-id', 'job_1', '--duplicate', '1']
    expect(await cli.run(args, { env })).toMatchObject({ code: 0 })
    await inbox.waitFor('job_1')
    expect(handled).toEqual(['job_1'])
    await inbox.drain()
    inbox = openInbox({ secret: { fresh: SECRET } })
    const json = { MODELRUN_INBOX_SECRET: JSON.stringify({ fresh: SECRET }) }
    expect(await cli.run(args, { env: json })).toMatchObject({ code: 0 })
  })

  it('gives an app that asks the service a job to handle', async () => {
    inbox = verifyingInbox()
    const { code, stdout } = await cli.run(['trigger', 'succeeded', '--forward-to', url, '--duplicate', '1'], { env })
    const [, id = ''] = /^✓ (job_\w+) succeeded: HTTP 202/.exec(stdout) ?? []
    await inbox.waitFor(id)
    await inbox.drain()
    expect([code, handled]).toEqual([0, [id]])
  })
})
