import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { DEFAULT_CATALOG } from '../domain/catalog.ts'
import type { ScriptedOutcome } from '../domain/scripted-outcome.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'
import type { ReferenceServerOptions } from './options.ts'

const OUTCOMES: readonly ScriptedOutcome[] = [
  { result: 'failed', error: { code: 'NO_PAINT', message: 'out of paint' }, after_ms: 100 },
  { result: 'succeeded', after_ms: 300 },
]
const [MODEL] = DEFAULT_CATALOG.map((model) => ({ ...model, outcomes: OUTCOMES }))

function newServer(options: ReferenceServerOptions = {}) {
  return createReferenceServer({ clock: 'auto', catalog: MODEL === undefined ? [] : [MODEL], ...options })
}

/** How a run ends, and after which time. */
async function runOn(server: ReferenceServer): Promise<unknown[]> {
  const startedAt = server.clock.now()
  const { body } = await apiCaller(server).run('aurora-image')
  return [body.status, server.clock.now() - startedAt]
}

describe('outcomes of the catalog', () => {
  it('are taken in turn by the runs of an account, behind its scripts', async () => {
    const server = newServer()
    server.script('aurora-image', [{ result: 'succeeded', after_ms: 5 }])
    const ends = [await runOn(server), await runOn(server), await runOn(server), await runOn(server)]
    expect(ends).toEqual([
      ['completed', 5],
      ['failed', 100],
      ['completed', 300],
      ['failed', 100],
    ])
  })

  it('keep their results where the option latency sets the time', async () => {
    const server = newServer({ latency: 7 })
    expect([await runOn(server), await runOn(server)]).toEqual([
      ['failed', 7],
      ['completed', 7],
    ])
  })
})
