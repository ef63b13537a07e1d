import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { Account } from '../domain/account.ts'
import { createReferenceServer } from '../reference-server.ts'
import { Journal } from './journal.ts'
import type { NoteEntry } from './journal-entry.ts'

const note = (text: string): NoteEntry => ({ kind: 'note', at: 0, text })

function texts(journal: Journal, account?: Account) {
  return journal.records(account).map(({ entry }) => (entry.kind === 'note' ? entry.text : entry.kind))
}

describe('journal', () => {
  it('keeps what happened, by account and of all in order', () => {
    const journal = new Journal(100_000)
    const [mine, other] = [new Account(1), new Account(1)]
    journal.add(mine, note('1'))
    journal.add(other, note('2'))
    journal.add(null, note('3'))
    journal.add(mine, note('4'))
    expect([texts(journal, mine), texts(journal, other), texts(journal)]).toEqual([
      ['1', '4'],
      ['2'],
      ['1', '2', '3', '4'],
    ])
    journal.forget(mine)
    expect([texts(journal, mine), texts(journal)]).toEqual([[], ['2', '3']])
    journal.forget()
    expect(texts(journal)).toEqual([])
  })

  it('orders an entry by its start, before what ended earlier than the entry', () => {
    const journal = new Journal(100_000)
    const account = new Account(1)
    const start = journal.place()
    journal.add(account, note('within'))
    journal.add(account, note('around'), start)
    const [within, around] = journal.records(account)
    expect(around?.startPlace).toBeLessThan(Number(within?.startPlace))
    expect(around?.endPlace).toBeGreaterThan(Number(within?.endPlace))
  })
})

const MODEL = 'aurora-image'

describe('the journal of a server', () => {
  it('has every request with its response, and every change of a job', async () => {
    const server = createReferenceServer({ clock: 'auto' })
    const caller = apiCaller(server)
    const { body } = await caller.run(MODEL)
    await caller.get('/v1/nothing')
    const [created, ended, run, unknown] = server.journal.entries()
    expect(created).toMatchObject({ kind: 'job', job_id: body.job_id, model_id: MODEL, to: 'processing', credits: 4 })
    expect(ended).toMatchObject({ kind: 'job', from: 'processing', to: 'succeeded' })
    expect(run).toMatchObject({
      kind: 'request',
      method: 'POST',
      path: `/v1/models/${MODEL}/run`,
      route: 'runModel',
      status: 200,
      jobStatus: 'completed',
      job_id: body.job_id,
      durationMs: 4_000,
      requestBody: '{"input":{"prompt":"a red fox"}}',
      responseBody: expect.stringContaining('"credits_used":4'),
    })
    expect(unknown).toMatchObject({ kind: 'request', status: 404, code: 'NOT_FOUND', route: undefined })
  })

  it('has no secrets: keys, tokens of webhooks, queries', async () => {
    const server = createReferenceServer({ clock: 'auto', deliver: async () => new Response() })
    const caller = apiCaller(server)
    await caller.run(MODEL, {
      input: { prompt: `my key is ${server.apiKey}` },
      webhook_url: 'https://a.test/?t=secret',
    })
    await caller.get(`/v1/models?search=${server.apiKey}`)
    await caller.get(`/v1/jobs/${server.apiKey}`)
    await server.fetch('/v1/models', { headers: { authorization: 'Bearer sk_live_fromproduction' } })
    await server.fetch('/_reference/keys', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    await server.webhooks.next()
    const text = JSON.stringify(server.journal.entries()) + server.journal.text()
    expect(text).not.toContain(server.apiKey.slice(0, 14))
    expect(text).not.toMatch(/secret|fromproduction|sk_test_\w{5}/)
    expect(text).toContain('sk_test_[redacted]')
  })

  it('keeps the first 2,048 bytes of a body', async () => {
    const server = createReferenceServer({ clock: 'auto' })
    await apiCaller(server).run(MODEL, { input: { prompt: 'é'.repeat(3_000) } })
    const [entry] = server.journal.entries({ kind: 'request' })
    const { requestBody = '' } = entry?.kind === 'request' ? entry : {}
    expect(new TextEncoder().encode(requestBody).byteLength).toBeGreaterThan(2_040)
    expect(new TextEncoder().encode(requestBody).byteLength).toBeLessThanOrEqual(2_048)
    expect(requestBody).not.toContain('\uFFFD')
  })
})
