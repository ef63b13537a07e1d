import { createPostgresEngine } from '@modelrun/durable/postgres'
import { beforeAll, expect, it } from 'vitest'
import { engineChecks } from '../../../durable/test/engine-checks.ts'
import { type NeonService, startNeon } from '../services/neon.ts'
import { describeWithPostgres } from '../services/with-postgres.ts'

describeWithPostgres("the Postgres engine over Neon's HTTP driver", (database) => {
  let neon: NeonService

  beforeAll(async () => {
    neon = await startNeon(database.service.url)
    return neon.stop
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
