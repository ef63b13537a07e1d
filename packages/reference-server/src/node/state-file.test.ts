import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { StateServers } from '../../test/state-servers.ts'
import { createReferenceServer } from '../reference-server.ts'

let servers: StateServers

beforeEach(async () => {
  servers = await StateServers.create()
})

describe('modelrun-server --state', () => {
  it('keeps jobs, credits and keys over a restart, and leaves nothing beside the file', async () => {
    const first = await servers.startReady('--clock', 'manual', '--seed', '5')
    const { job_id } = await first.run()
    expect(await servers.stop(first)).toEqual({ code: 0, stderr: '' })
    expect(await readdir(servers.folder)).toEqual(['state.json'])
    expect((await stat(servers.path)).mode & 0o777).toBe(0o600)

    const second = await servers.startReady('--clock', 'manual')
    expect(second.key).toBe(first.key)
    expect(await second.call('GET', `/v1/jobs/${job_id}`)).toEqual({ data: { status: 'queued' } })
    await second.call('POST', '/_reference/clock', { advance_ms: 5_000 })
    expect(await second.call('GET', `/v1/jobs/${job_id}`)).toMatchObject({ data: { status: 'succeeded' } })
    expect((await second.run()).job_id).not.toBe(job_id)
  })

  it('has written a change soon after it, so that a crash costs little', async () => {
    const first = await servers.startReady('--clock', 'manual')
    const { job_id } = await first.run()
    await vi.waitFor(async () => expect(await readFile(servers.path, 'utf8')).toContain(job_id), { timeout: 100_000 })
    first.child.kill('SIGKILL')
    await first.ended
    const second = await servers.startReady('--clock', 'manual')
    expect(await second.call('GET', `/v1/jobs/${job_id}`)).toMatchObject({ data: { status: 'queued' } })
  })

  it.each([
    ['no JSON', '{"format":"modelrun-ref', 'it is not JSON.'],
    ['no state', '[]', 'That is not a snapshot of a reference server'],
    [
      'a damaged state',
      '{"format":"modelrun-reference-server","version":1}',
      'The snapshot is damaged: /time is missing; it must be a number.',
    ],
    ['empty', '', 'it is not JSON.'],
  ])('says in one line that a file is %s, ends with exit code 1, and leaves it alone', async (_, text, reason) => {
    await writeFile(servers.path, text)
    const { code, stderr } = await servers.start().ended
    expect(code).toBe(1)
    expect(stderr).toContain(
      `modelrun-server: The state ${servers.path} cannot be used, and was left as it is: ${reason}`,
    )
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(await readFile(servers.path, 'utf8')).toBe(text)
  })

  it.each([
    [
      'cannot be written: ',
      'of a folder that is not there',
      () => Object.assign(servers, { path: join(servers.folder, 'missing', 'state.json') }),
    ],
    ['cannot be read: it is a directory.', 'that is a directory', () => mkdir(servers.path)],
    ['cannot be read: ELOOP', 'that is a link to itself', () => symlink(servers.path, servers.path)],
  ])('says in one line that it %s, for a path %s, and ends with exit code 1', async (reason, _, prepare) => {
    await prepare()
    const { code, stderr } = await servers.start().ended
    expect([code, stderr.trim().split('\n')]).toEqual([1, [expect.stringContaining(reason)]])
    expect(stderr).toMatch(/^modelrun-server: The state /)
  })

  it('takes the snapshot of a server in a program, and the other way round', async () => {
    const server = createReferenceServer({ clock: 'manual', seed: 12, credits: 7 })
    await writeFile(servers.path, JSON.stringify(server.snapshot()))
    const running = await servers.startReady('--clock', 'manual')
    expect(running.key).toBe(server.apiKey)
    await running.run()
    await servers.stop(running)
    server.restore(JSON.parse(await readFile(servers.path, 'utf8')))
    expect(server.report().unfinishedJobs).toHaveLength(1)
  })

  it('reads a file with a byte order mark, as some editors write it', async () => {
    const server = createReferenceServer({ clock: 'manual', seed: 12 })
    await writeFile(servers.path, `\uFEFF${JSON.stringify(server.snapshot())}`)
    expect((await servers.startReady()).key).toBe(server.apiKey)
  })

  it('keeps a link, and writes the file that it leads to', async () => {
    const target = join(servers.folder, 'kept', 'world.json')
    await mkdir(join(servers.folder, 'kept'))
    const state = createReferenceServer({ clock: 'manual', seed: 12 }).snapshot()
    await writeFile(target, JSON.stringify(state))
    await symlink(join('kept', 'world.json'), join(servers.folder, 'link.json'))
    await symlink('link.json', servers.path)
    const running = await servers.startReady('--clock', 'manual')
    const { job_id } = await running.run()
    expect(await servers.stop(running)).toEqual({ code: 0, stderr: '' })
    expect(await readFile(target, 'utf8')).toContain(job_id)
    expect((await lstat(servers.path)).isSymbolicLink()).toBe(true)
    expect(await readdir(servers.folder)).toEqual(['kept', 'link.json', 'state.json'])
    expect(await readdir(join(servers.folder, 'kept'))).toEqual(['world.json'])
  })

  it('leaves no lock behind when the command line is wrong', async () => {
    const { code } = await servers.start('--catalog', '/no/such/file').ended
    expect([code, await readdir(servers.folder)]).toEqual([1, []])
  })
})
