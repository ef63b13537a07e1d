import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createReferenceServer } from '../../reference-server.ts'
import { listen } from '../listen.ts'
import { loadRecording } from './recording-folder.ts'

const CLI = fileURLToPath(new URL('../cli.ts', import.meta.url))

/** Starts the command from its sources. */
function start(...args: string[]) {
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
  const child = spawn(process.execPath, ['--conditions=@modelrun/source', CLI, '--port', '0', ...args], { stdio })
  onTestFinished(() => void child.kill('SIGKILL'))
  const errors = text(child.stderr)
  return {
    child,
    firstLine: once(createInterface(child.stdout), 'line').then(([line]) => JSON.parse(String(line))),
    ended: once(child, 'close').then(async ([code]) => ({ code, errors: await errors })),
  }
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-record-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A folder with these files. */
async function folderWith(files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await newFolder()
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content))
  return folder
}

const MAIN = { format: 'modelrun-recording', version: 1, service: 'https://api.test/', exchanges: 1, not_replayed: [] }

describe('modelrun-server --record', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('leaves a recording that can be replayed after %s', async (signal) => {
    const service = createReferenceServer({
      assumptions: { asyncRunStatus: 200 },
    })
    const { url, close } = await listen(service)
    onTestFinished(close)
    const folder = join(await newFolder(), 'deep', 'recording')
    const { child, firstLine, ended } = start('--record', url, '--to', folder, '--json')
    const ready = await firstLine
    expect(ready).toMatchObject({ ready: true, service: url, folder })
    const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
    await (await fetch(`${ready.url}/v1/models?limit=3`, { headers })).text()
    await (await fetch(`${ready.url}/v1/jobs/none`, { headers })).text()
    const body = JSON.stringify({ input: { prompt: 'a fox' }, sync: false })
    await (await fetch(`${ready.url}/v1/models/aurora-image/run`, { method: 'POST', headers, body })).text()
    await expect.poll(async () => (await loadRecording(folder)).profile.asyncRunStatus).toBe(200)
    child.kill(signal)
    expect((await ended).code).toBe(signal === 'SIGTERM' ? 0 : null)
    const { catalog, profile } = await loadRecording(folder)
    expect(catalog.map(({ id }) => id)).toEqual(['aurora-image', 'lumen/aurora-image-swift', 'inkfield/poster-2'])
    expect(profile.asyncRunStatus).toBe(200)
    await expect(start('--record', url, '--to', folder, '--json').firstLine).resolves.toMatchObject({ ready: true })
    const replay = start('--replay', folder, '--json')
    const { url: replayUrl, key } = await replay.firstLine
    const again = { method: 'POST', headers: { ...headers, authorization: `Bearer ${key}` }, body }
    expect((await fetch(`${replayUrl}/v1/models/aurora-image/run`, again)).status).toBe(200)
  })

  it('says in one line that the service does not listen', async () => {
    const { code, errors } = await start('--record', 'http://127.0.0.1:9', '--to', await newFolder()).ended
    expect([code, errors.trim().split('\n')]).toEqual([
      1,
      [expect.stringContaining('--record: http://127.0.0.1:9/ cannot be reached: connect ECONNREFUSED')],
    ])
  })

  it.each([
    ['other files', { 'notes.json': 1 }, 'is not a recording: it has no recording.json.'],
    [
      'another recording',
      { 'recording.json': MAIN, 'profile.json': {}, 'models.json': [] },
      'holds a recording of https://api.test/.',
    ],
  ])('says in one line that the folder has %s', async (_, files, message) => {
    const { url, close } = await listen(createReferenceServer())
    onTestFinished(close)
    const { code, errors } = await start('--record', url, '--to', await folderWith(files)).ended
    expect([code, errors.trim().split('\n')]).toEqual([1, [expect.stringContaining(message)]])
  })

  it('says in one line that --to is not a folder', async () => {
    const { url, close } = await listen(createReferenceServer())
    onTestFinished(close)
    const file = join(await folderWith({ 'a.txt': 1 }), 'a.txt')
    const { code, errors } = await start('--record', url, '--to', file).ended
    expect([code, errors]).toEqual([1, `modelrun-server: --to ${file} cannot be used: it is not a folder.\n`])
  })
})

describe('modelrun-server --replay', () => {
  it.each([
    ['no recording', {}, 'is not a recording: it has no recording.json. modelrun-server --record makes one.'],
    ['another file', { 'recording.json': [] }, 'is not a recording: its recording.json is of something else.'],
    [
      'a newer release',
      { 'recording.json': { ...MAIN, version: 2 } },
      'has the version 2, and this release reads version 1.',
    ],
    [
      'a wrong profile',
      { 'recording.json': MAIN, 'models.json': [], 'profile.json': { cancelStatus: 7 } },
      '/profile.json is wrong: /cancelStatus must be',
    ],
    [
      'wrong models',
      { 'recording.json': MAIN, 'models.json': [{}], 'profile.json': {} },
      '/models.json is wrong: /0/id',
    ],
  ])('says in one line what is wrong with the folder of %s', async (_, files, message) => {
    const other = { 'profile.json': {}, 'models.json': [] }
    const folder = await folderWith('recording.json' in files ? { ...other, ...files } : files)
    const { code, errors } = await start('--replay', folder).ended
    expect([code, errors.trim().split('\n')]).toEqual([1, [expect.stringContaining(message)]])
  })

  it('says in one line that the folder is not there', async () => {
    const { code, errors } = await start('--replay', join(await newFolder(), 'none')).ended
    expect([code, errors.split('\n')]).toEqual([1, [expect.stringContaining('/none is not a recording'), '']])
  })
})
