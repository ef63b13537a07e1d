import pg from 'pg'
import { beforeAll, describe } from 'vitest'
import { POSTGRES_PROGRAMS, type PostgresService, startPostgres } from './postgres.ts'
import { needs } from './programs.ts'

/** A Postgres that runs while its tests do, with a pool. */
export interface TestDatabase {
  readonly service: PostgresService
  readonly pool: pg.Pool
}

/** Tests on a Postgres of their own. They are left out where its programs, or `programs`, are missing. */
export function describeWithPostgres(
  title: string,
  define: (database: TestDatabase) => void,
  { programs = [], settings }: { programs?: string[]; settings?: Record<string, string> } = {},
): void {
  const { isMissing, note } = needs(...POSTGRES_PROGRAMS, ...programs)
  describe.skipIf(isMissing)(`${title}${note}`, () => {
    let running: TestDatabase | undefined
    beforeAll(async () => {
      const service = await startPostgres(settings)
      const pool = new pg.Pool({ connectionString: service.url, max: 20 })
      pool.on('error', () => {})
      pool.on('connect', (connection) => connection.on('error', () => {}))
      running = { service, pool }
      return async () => {
        await pool.end()
        await service.stop()
      }
    })
    const present = (): TestDatabase => {
      if (running === undefined) throw new Error('Used outside of a test.')
      return running
    }
    define({
      get service() {
        return present().service
      },
      get pool() {
        return present().pool
      },
    })
  })
}
