import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engineChecks } from '../testing/engine-checks.ts'
import { createSqliteEngine } from './sqlite-engine.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelrun-sqlite-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true })
})

describe('the SQLite engine', () => {
  it.each(engineChecks({ open: () => createSqliteEngine({ path: join(folder, 'tasks.db'), pollMs: 50 }) }))(
    '$name',
    ({ run }) => run(),
  )

  it('says what is wrong with a path', () => {
    expect(() => createSqliteEngine({ path: join(folder, 'none/tasks.db') })).toThrow(/cannot open .*must exist/)
    expect(() => createSqliteEngine({ path: '' })).toThrow(/needs path/)
  })

  it('says that its tables are missing', async () => {
    const engine = createSqliteEngine({ path: join(folder, 'empty.db') })
    await expect(engine.add('q', 'a', { data: 1 })).rejects.toThrow(/engine\.setup\(\)/)
    await engine.close()
  })
})
