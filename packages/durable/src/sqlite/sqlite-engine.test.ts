import { once } from 'node:events'
import { chmod, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Task } from '@modelrun/kit'
import { describe, expect, it, vi } from 'vitest'
import { folderForFile } from '../../../kit/test/temp-folder.ts'
import { engineChecks } from '../../test/engine-checks.ts'
import type { Engine } from '../engine/engine.ts'
import { openDatabase } from './sqlite-database.ts'
import { createSqliteEngine } from './sqlite-engine.ts'

const folder = folderForFile()
const RATE = { max: 1, perMs: 1 }

describe('the SQLite engine', () => {
  it.each(engineChecks(() => createSqliteEngine({ path: join(folder, 'tasks.db'), pollMs: 50 })))('$name', ({ run }) =>
    run(),
  )

  it('says what is wrong with a path', () => {
    expect(() => createSqliteEngine({ path: join(folder, 'none/tasks.db') })).toThrow(/cannot open .*must exist/)
    for (const path of ['', 'file:tasks.db'])
      expect(() => createSqliteEngine({ path })).toThrow(/`path` of .* must be the path/)
  })

  it('works at once what was due before the clock was set back, also at a rate', async () => {
    const engine = createSqliteEngine({ path: ':memory:' })
    await engine.setup()
    await engine.add('q', 'updated', { data: 1, delayMs: 60_000 })
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 7_200_000)
    await engine.update('q', 'updated', 2)
    for (const id of ['added', 'worked']) await engine.add('q', id, { data: 1 })
    const once = async (id: string, rate?: typeof RATE) =>
      (await engine.once('q', async () => null, { id, rate })).isRun
    expect(await once('worked', RATE)).toBe(true)
    vi.restoreAllMocks()
    expect([await once('updated', RATE), await once('added')]).toEqual([true, true])
    await engine.close()
  })

  it('works a task with a delay before the last of a backlog', async () => {
    const engine = createSqliteEngine({ path: ':memory:' })
    await engine.setup()
    const order: string[] = []
    await engine.add('q', 'delayed', { data: 1, delayMs: 0.1 })
    for (const id of ['a', 'b', 'c']) await engine.add('q', id, { data: 1 })
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 10)
    engine.work('q', async ({ id }) => void order.push(id), { concurrency: 1 })
    await expect.poll(() => order).toHaveLength(4)
    expect(order.at(-1)).toBe('c')
    await engine.close()
  })

  it.each<[string, (engine: Engine) => Promise<unknown>]>([
    ['get', (engine) => engine.get('q', 'a')],
    ['getAll', (engine) => engine.getAll([{ queue: 'q', id: 'a' }])],
    ['list', (engine) => engine.list('q', 'waiting')],
    ['count', (engine) => engine.count('q')],
    ['isPaused', (engine) => engine.isPaused('q')],
    ['msUntilDue', (engine) => engine.msUntilDue('q')],
    ['total', (engine) => engine.total('c')],
  ])('lets the event loop turn in %s', async (_, read) => {
    const engine = createSqliteEngine({ path: ':memory:' })
    await engine.setup()
    let hasTurned = false
    setImmediate(() => {
      hasTurned = true
    })
    await read(engine)
    expect(hasTurned).toBe(true)
    await engine.close()
  })

  it('says that it needs options', () => {
    // @ts-expect-error -- what JavaScript allows
    expect(() => createSqliteEngine()).toThrow(/must be an object, like \{ path/)
    // @ts-expect-error -- what JavaScript allows
    expect(() => createSqliteEngine('runs.db')).toThrow(/must be an object, like \{ path/)
  })

  it.skipIf(process.platform === 'win32').each(['', '-wal'])(
    'stores nothing once its file%s is gone from the path, and stops when its locks are over',
    async (suffix) => {
      const path = join(folder, `gone${suffix}.db`)
      const engine = createSqliteEngine({ path, onError: () => {} })
      await engine.setup()
      await engine.add('tasks', 'a', { data: null })
      const started = new Promise((resolve) => {
        const handler = async ({ id, signal }: Task) => {
          resolve(id)
          await once(signal, 'abort')
          return null
        }
        engine.work('tasks', handler, { lockMs: 300 })
      })
      await started
      await rm(`${path}${suffix}`)
      await expect(engine.add('tasks', 'b', { data: null })).rejects.toThrow(
        /was deleted or replaced.*Nothing is stored/,
      )
      expect(engine.closed?.aborted).toBe(true)
      await engine.close()
    },
  )

  it.skipIf(process.platform === 'win32')('makes files that only their owner can read', async () => {
    const path = join(folder, 'private.db')
    const engine = createSqliteEngine({ path })
    await engine.setup()
    await engine.add('q', 'a', { data: 'a prompt' })
    for (const name of [path, `${path}-wal`, `${path}-shm`]) expect((await stat(name)).mode & 0o777, name).toBe(0o600)
    await engine.close()
    // What the owner of a file has chosen stays.
    await chmod(path, 0o640)
    const again = createSqliteEngine({ path })
    await again.add('q', 'b', { data: 'a prompt' })
    for (const name of [path, `${path}-wal`]) expect((await stat(name)).mode & 0o777, name).toBe(0o640)
    await again.close()
  })

  it.each([5, 261, 517])('repeats a transaction that found the file busy: code %i', async (errcode) => {
    const database = openDatabase(':memory:', 1_000)
    let attempts = 0
    const work = () => {
      attempts += 1
      if (attempts < 3) throw Object.assign(new Error('database is locked'), { errcode })
      return 'written'
    }
    expect(await database.transaction({ toDisk: true }, work)).toBe('written')
    database.close()
  })

  it('says that its tables are missing', async () => {
    const engine = createSqliteEngine({ path: join(folder, 'empty.db') })
    await expect(engine.add('q', 'a', { data: 1 })).rejects.toThrow(/engine\.setup\(\)/)
    await engine.close()
  })
})
