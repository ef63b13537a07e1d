import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { engineChecks } from '../../test/engine-checks.ts'
import { createDurableObjectEngine } from './durable-object-engine.ts'
import type { ObjectStorage } from './object-database.ts'

/** The storage of a Durable Object, on `node:sqlite`. `syncs` counts how often it was asked to confirm its writes. */
function createStorage(): ObjectStorage & { syncs: number } {
  const database = new DatabaseSync(':memory:')
  const storage: ObjectStorage & { syncs: number } = {
    syncs: 0,
    sql: {
      exec(query, ...values) {
        // Only `exec` runs several statements.
        const rows = query.includes(';') ? database.exec(query) : database.prepare(query).all(...values)
        return { toArray: () => rows ?? [] }
      },
    },
    transactionSync(work) {
      database.exec('BEGIN')
      try {
        const result = work()
        database.exec('COMMIT')
        return result
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
    async sync() {
      storage.syncs += 1
    },
  }
  return storage
}

describe('the engine of a Durable Object', () => {
  // In workerd: `npm run engines`.
  const storage = createStorage()
  it.each(engineChecks(() => createDurableObjectEngine(storage, { pollMs: 50 })))('$name', ({ run }) => run())

  it('has new tasks confirmed before they count', async () => {
    const storage = createStorage()
    const engine = createDurableObjectEngine(storage)
    await engine.setup()
    const before = storage.syncs
    await engine.add('q', 'a', { data: null })
    expect(storage.syncs).toBe(before + 1)
  })

  it('says which storage it needs', () => {
    const old = {
      get sql(): never {
        throw new Error('This object has no SQLite.')
      },
    }
    for (const storage of [undefined, {}, old]) {
      expect(() => createDurableObjectEngine(storage as ObjectStorage)).toThrow(/with SQLite.*new_sqlite_classes/)
    }
  })
})
