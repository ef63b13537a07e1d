import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderForTest } from '../../../kit/test/temp-folder.ts'
import { apiCaller } from '../../test/api-caller.ts'
import { DEFAULT_CATALOG } from '../domain/catalog.ts'
import { readCommand, type ServeCommand } from './cli-options.ts'
import { UsageError } from './errors.ts'
import { startServer } from './start-server.ts'

const model = { ...DEFAULT_CATALOG[0], id: 'own/model' }

/** The path of a new file. */
async function fileWith(text: string): Promise<string> {
  const path = join(folderForTest(), 'models.json')
  await writeFile(path, text)
  return path
}

function start(...args: string[]) {
  return startServer(readCommand(args) as ServeCommand, undefined) // no argument here asks for help or the version
}

describe('startServer', () => {
  it('makes a key with credits, and its requests go wrong', async () => {
    const { server } = await start('--credits', '7', '--fault', 'unavailable,times=1,retry_after=7')
    expect(server.credits()).toBe(7)
    const api = apiCaller(server)
    const faulty = await api.get('/v1/models')
    expect([faulty.status, faulty.headers.get('retry-after')]).toEqual([503, '7'])
    expect((await api.get('/v1/models')).status).toBe(200)
  })

  it('responds as the assumptions say, and takes as long as the latency says', async () => {
    const args = ['--clock', 'manual', '--assume', 'asyncRunStatus=200', '--assume', 'queuedMs=0', '--latency', '0']
    const { server } = await start(...args)
    const api = apiCaller(server)
    const { status, body } = await api.run('aurora-image', { sync: false })
    expect([status, await api.status(body.job_id)]).toEqual([200, 'succeeded'])
  })

  it('serves the models of a file', async () => {
    const { server } = await start('--catalog', await fileWith(`\uFEFF${JSON.stringify([model])}`))
    expect((await apiCaller(server).get('/v1/models')).body).toMatchObject({ models: [{ id: 'own/model' }] })
  })

  it.each([
    ['[{"id":\n', 'is not JSON: SyntaxError: Unexpected end of JSON input'],
    ['{}', 'must be an array, not an object.'],
    [
      JSON.stringify([{ ...model, pricing: {} }]),
      'is wrong: /0/pricing/credits_per_run is missing; it must be a number.',
    ],
    [JSON.stringify([model, model]), 'has two models with the id own/model.'],
  ])('says what is wrong with the catalog %j', async (text, message) => {
    const path = await fileWith(text)
    await expect(start('--catalog', path)).rejects.toThrow(new UsageError(`The catalog ${path} ${message}`))
  })

  it('responds as the profile of a report says, except where --assume says otherwise', async () => {
    const path = await fileWith(JSON.stringify({ profile: { asyncRunStatus: 200, cancelStatus: 204 } }))
    const { server } = await start('--profile', path, '--assume', 'cancelStatus=200')
    const call = apiCaller(server)
    const run = await call.post('/v1/models/aurora-image/run', { input: { prompt: 'x' }, sync: false })
    expect(run.status).toBe(200)
  })

  it.each([
    [['--catalog', '/no/such/file'], 'The catalog /no/such/file cannot be read: there is no such file.'],
    [['--catalog', '/'], 'The catalog / cannot be read: it is a directory.'],
    [['--control-token', 'short'], '--control-token must be 16 to 200 visible ASCII characters.'],
    // It may be one of production, and is not repeated.
    [['--key', 'sk_live_x'], '--key must be a test key, sk_test_ and 1 to 100 letters, digits, _ and -.'],
    [['--assume', 'asyncRunStatus=204'], '--assume is wrong: /asyncRunStatus must be 200 or 202.'],
    [['--fault', 'rest'], '--fault rest: /kind must be "reset" or'],
    [['--fault', 'reset,time=1'], '--fault reset,time=1: has members that do not exist: "time".'],
    [['--fault', 'reset,model=x'], '--fault reset,model=x: /model: There is no model "x".'],
  ])('says what is wrong with %j', async (args, message) => {
    const error = await start(...args).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UsageError)
    expect(String(error)).toContain(message)
  })
})
