import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createMarks } from '@modelrun/durable/marks'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { POSTGRES_PROGRAMS, type PostgresService, startPostgres } from '../../services/postgres.ts'
import { needs } from '../../services/programs.ts'
import { openEngine } from '../open-engine.ts'

const TASKS = 60
const KILLS = 6
/** A process is killed when it has committed so many: those of the last tasks have not ended then. */
const COMMITS_BEFORE_KILL = 7
const program = fileURLToPath(new URL('effects-process.ts', import.meta.url))
const { isMissing, note } = needs(...POSTGRES_PROGRAMS)

describe.skipIf(isMissing)(`effects in Postgres of tasks in SQLite${note}`, () => {
  let service: PostgresService
  let pool: pg.Pool
  let folder: string
  const children: ChildProcess[] = []

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'modelrun-effects-'))
    service = await startPostgres()
    pool = new pg.Pool({ connectionString: service.url })
    await pool.query('CREATE TABLE posters (task text NOT NULL)')
    await createMarks('postgres').setup(pool)
  }, 60_000)
  afterEach(async () => {
    for (const child of children.splice(0)) await kill(child)
    await pool?.end()
    await service?.stop()
    await rm(folder, { recursive: true })
  })

  /** Works all tasks by processes that are killed; gives how often a handler has committed, and the effects. */
  async function workWithKills(): Promise<{ commits: number; effects: string[] }> {
    const engineAt = { kind: 'sqlite', at: join(folder, 'tasks.db') } as const
    const engine = openEngine(engineAt)
    await engine.setup()
    for (let index = 0; index < TASKS; index += 1) await engine.add('posters', `poster-${index}`, { data: null })
    let commits = 0
    const settings = JSON.stringify({ engineAt, url: service.url })
    for (let processes = 0; processes <= KILLS; processes += 1) {
      const child = spawn(process.execPath, ['--conditions=@modelrun/source', program, settings], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      children.push(child)
      const killAt = processes < KILLS ? commits + COMMITS_BEFORE_KILL : Number.POSITIVE_INFINITY
      const lines = createInterface({ input: child.stdout })
      lines.on('line', () => {
        commits += 1
        if (commits === killAt) child.kill('SIGKILL')
      })
      if (processes < KILLS) await once(lines, 'close')
    }
    await expect
      .poll(() => engine.count('posters'), { timeout: 30_000 })
      .toEqual({ waiting: 0, running: 0, done: TASKS, dead: 0 })
    await engine.close()
    const { rows } = await pool.query('SELECT task FROM posters')
    return { commits, effects: rows.map(({ task }) => task).toSorted() }
  }

  it('are there once for each task, although processes die between commit and end', async () => {
    const { commits, effects } = await workWithKills()
    expect(effects).toEqual(Array.from({ length: TASKS }, (_, index) => `poster-${index}`).toSorted())
    // Handlers that ran twice, which would be effects without marks.
    expect(commits).toBeGreaterThan(TASKS)
  }, 60_000)
})

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
