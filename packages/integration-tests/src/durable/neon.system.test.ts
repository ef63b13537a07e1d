import { createPostgresEngine } from '@modelrun/durable/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engineChecks } from '../../../durable/test/engine-checks.ts'
import { type NeonService, startNeon } from '../services/neon.ts'
import { POSTGRES_PROGRAMS, type PostgresService, startPostgres } from '../services/postgres.ts'
import { needs } from '../services/programs.ts'

const { isMissing, note } = needs(...POSTGRES_PROGRAMS)

describe.skipIf(isMissing)(`the Postgres engine over Neon's HTTP driver${note}`, () => {
  let postgres: PostgresService
  let neon: NeonService

  beforeAll(async () => {
    postgres = await startPostgres()
    neon = await startNeon(postgres.url)
  })
  afterAll(async () => {
    await neon?.stop()
    await postgres?.stop()
  })

  it.each(engineChecks(() => createPostgresEngine(neon.sql, { pollMs: 50 })))('$name', ({ run }) => run())

  it('takes its function of tagged templates as it is', async () => {
    const before = neon.statements()
    const engine = createPostgresEngine(neon.sql)
    await engine.setup()
    await engine.add('neon', 'a', { data: { prompt: 'a fox' } })
    expect(await engine.get('neon', 'a')).toMatchObject({ state: 'waiting', data: { prompt: 'a fox' } })
    expect(neon.statements()).toBeGreaterThan(before)
  })
})
