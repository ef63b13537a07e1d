import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createReferenceServer } from '../reference-server.ts'

const CLI = fileURLToPath(new URL('./cli.ts', import.meta.url))

let folder: string
let path: string
const children: ChildProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelrun-state-'))
  path = join(folder, 'state.json')
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await rm(folder, { recursive: true })
})

function start(...args: string[]) {
  const options = ['--conditions=@modelrun/source', CLI, '--port', '0', '--json', '--state', path, ...args]
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const firstLine = once(createInterface(child.stdout), 'line').then(([line]) => String(line))
  const ended = once(child, 'close').then(([code]) => ({ code, stderr }))
  return { child, firstLine, ended }
}

async function startReady(...args: string[]) {
  const running = start(...args)
  const { url, key, keys }: { url: string; key: string; keys?: string[] } = JSON.parse(await running.firstLine)
  const call = async (method: string, target: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(url + target, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    })
    return (await response.json()) as { job_id?: string; data?: object } // what the tests look at
  }
  const run = () => call('POST', '/v1/models/aurora-image/run', { input: { prompt: 'a fox' }, sync: false })
  return { ...running, key, keys, call, run }
}

async function stop({ child, ended }: Pick<ReturnType<typeof start>, 'child' | 'ended'>) {
  child.kill('SIGTERM')
  return ended
}

describe('modelrun-server --state', () => {
  it('keeps jobs, credits and keys over a restart, and leaves nothing beside the file', async () => {
    const first = await startReady('--clock', 'manual', '--keys', '2', '--seed', '5')
    const { job_id } = await first.run()
    expect(await stop(first)).toEqual({ code: 0, stderr: '' })
    expect(await readdir(folder)).toEqual(['state.json'])
    expect((await stat(path)).mode & 0o777).toBe(0o600)

    const second = await startReady('--clock', 'manual')
    expect([second.key, second.keys]).toEqual([first.key, first.keys])
    expect(await second.call('GET', `/v1/jobs/${job_id}`)).toEqual({ data: { status: 'queued' } })
    await second.call('POST', '/_reference/clock', { advance_ms: 5_000 })
    expect(await second.call('GET', `/v1/jobs/${job_id}`)).toMatchObject({ data: { status: 'succeeded' } })
    expect((await second.run()).job_id).not.toBe(job_id)
  })

  it('has written a change soon after it, so that a crash costs little', async () => {
    const first = await startReady('--clock', 'manual')
    const { job_id } = await first.run()
    await vi.waitFor(async () => expect(await readFile(path, 'utf8')).toContain(job_id), { timeout: 5_000 })
    first.child.kill('SIGKILL')
    await first.ended
    const second = await startReady('--clock', 'manual')
    expect(await second.call('GET', `/v1/jobs/${job_id}`)).toMatchObject({ data: { status: 'queued' } })
  })

  it.each([
    ['no JSON', '{"format":"modelrun-ref', 'it is no JSON.'],
    ['no state', '[]', 'That is no snapshot of a reference server'],
    [
      'a damaged state',
      '{"format":"modelrun-reference-server","version":1}',
      'The snapshot is damaged. /time is missing',
    ],
    ['empty', '', 'it is no JSON.'],
  ])('says in one line that a file is %s, ends with exit code 1, and leaves it alone', async (_, text, reason) => {
    await writeFile(path, text)
    const { code, stderr } = await start().ended
    expect(code).toBe(1)
    expect(stderr).toContain(`modelrun-server: The state ${path} cannot be used, and was left as it is: ${reason}`)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(await readFile(path, 'utf8')).toBe(text)
  })

  it('says in one line that it cannot write, and ends with exit code 1', async () => {
    path = join(folder, 'missing', 'state.json')
    expect(await start().ended).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^modelrun-server: The state .* cannot be written: .*\n$/),
    })
  })

  it('says that a directory is no file', async () => {
    await mkdir(path)
    expect(await start().ended).toEqual({
      code: 1,
      stderr: `modelrun-server: The state ${path} cannot be read: it is a directory.\n`,
    })
  })

  it('takes the snapshot of a server in a program, and the other way round', async () => {
    const server = createReferenceServer({ clock: 'manual', seed: 12, credits: 7 })
    await writeFile(path, JSON.stringify(server.snapshot()))
    const running = await startReady('--clock', 'manual')
    expect(running.key).toBe(server.apiKey)
    await running.run()
    await stop(running)
    server.restore(JSON.parse(await readFile(path, 'utf8')))
    expect(server.report().unfinishedJobs).toHaveLength(1)
  })
})
