import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programFolder } from '../guide-programs.ts'
import { POSTGRES_PROGRAMS, type PostgresService, startPostgres } from '../services/postgres.ts'
import { needs } from '../services/programs.ts'
import { copyRecipe } from './copy-recipes.ts'
import type { Order } from './order.ts'
import type { End } from './program.ts'
import { startRecipeService } from './recipe-service.ts'
import { runProgram } from './run-program.ts'

const { isMissing, note } = needs(...POSTGRES_PROGRAMS)
const VIDEO: End = { state: 'succeeded', hasOutput: true }
const UNKNOWN: End = { state: 'unknown', hasOutput: false }

// The other engines: `npm run engines`.
describe.skipIf(isMissing)(`the recipe for DBOS${note}`, () => {
  let postgres: PostgresService
  let service: Awaited<ReturnType<typeof startRecipeService>>
  const programs = programFolder()
  let program: string

  beforeAll(async () => {
    program = await copyRecipe('dbos', programs.path)
    ;[postgres, service] = await Promise.all([startPostgres(), startRecipeService()])
    const pool = new pg.Pool({ connectionString: postgres.url })
    await pool.query('CREATE DATABASE dbos')
    await pool.end()
  })
  afterAll(async () => {
    await service?.stop()
    await postgres?.stop()
  })

  const run = (order: Order) =>
    runProgram(program, [order], {
      nodeOptions: ['--conditions=@modelrun/source'],
      env: {
        DATABASE_URL: postgres.url,
        DBOS_DATABASE_URL: postgres.url.replace(/postgres$/, 'dbos'),
        CONTROL_URL: service.controlUrl,
        DEATH: 'SIGKILL',
      },
    })

  it('pays once and says unknown after a lost response', async () => {
    const order = service.order('dbos', 'ours', 'lost-response')
    expect((await run(order)).ends).toEqual([UNKNOWN])
    expect(await service.cost(order)).toMatchObject({ posts: 1, credits: 60 })
  })

  it('pays once and gives the video after its process was killed, where the naive step pays twice', async () => {
    for (const [variant, posts] of [
      ['naive', 2],
      ['ours', 1],
    ] as const) {
      const order = service.order('dbos', variant, 'death')
      expect((await run(order)).ends).toBeUndefined()
      expect((await run(order)).ends).toEqual([VIDEO])
      expect(await service.cost(order)).toMatchObject({ posts, credits: posts * 60 })
    }
  })

  it('pays once when two processes run the same workflow', async () => {
    const order = service.order('dbos', 'ours', 'two-at-once')
    const runs = await Promise.all([run(order), run(order)])
    expect(runs.map(({ ends }) => ends)).toEqual([[VIDEO], [VIDEO]])
    expect(await service.cost(order)).toMatchObject({ posts: 1, credits: 60 })
  })

  it('fails at once when another order has the key', async () => {
    const order = service.order('dbos', 'ours', 'none')
    expect((await run(order)).ends).toEqual([VIDEO])
    const { sends } = await service.cost(order)
    const { ends } = await run({ ...order, id: `${order.id}-again`, prompt: 'another' })
    expect(ends).toEqual([{ state: expect.stringMatching(/^threw .*another/), hasOutput: false }])
    expect(await service.cost(order)).toMatchObject({ posts: 1, sends: sends + 1 })
  })
})
