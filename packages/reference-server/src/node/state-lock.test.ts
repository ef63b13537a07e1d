import { link, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StateServers } from '../../test/state-servers.ts'
import { lockFile } from './state-lock.ts'

let servers: StateServers

beforeEach(async () => {
  servers = await StateServers.create()
})

afterEach(() => servers.close())

// The time limit is for a busy machine: processes start.
describe('the lock of a state file', { timeout: 60_000 }, () => {
  it('ends a second server with the process id of the first, which serves on', async () => {
    const first = await servers.startReady('--clock', 'manual')
    const { path } = servers
    servers.path = join(servers.folder, 'link.json')
    await symlink(path, servers.path)
    const { code, stderr } = await servers.start('--clock', 'manual').ended
    expect([code, stderr]).toEqual([
      1,
      `modelrun-server: The state ${path} is in use: the server with the process id ${first.child.pid} writes it. ` +
        'Stop it, or give each server a file of its own.\n',
    ])
    const { job_id } = await first.run()
    expect(await servers.stop(first)).toEqual({ code: 0, stderr: '' })
    expect(await readFile(path, 'utf8')).toContain(job_id)
  })

  it('ends a second server while the first one is stopped and says nothing', async () => {
    const first = await servers.startReady()
    first.child.kill('SIGSTOP')
    expect((await servers.start().ended).stderr).toContain('is in use: another server writes it.')
    first.child.kill('SIGCONT')
  })

  it('is free after its holder was killed, whatever process has its id now', async () => {
    const first = await servers.startReady('--clock', 'manual')
    await servers.stop(first, 'SIGKILL')
    expect(await readdir(servers.folder)).toEqual(['state.json', 'state.json.lock'])
    const second = await servers.startReady('--clock', 'manual')
    expect(second.key).toBe(first.key)
    expect(await servers.stop(second)).toEqual({ code: 0, stderr: '' })
    expect(await readdir(servers.folder)).toEqual(['state.json'])
  })

  it('is not taken for a file with two names, each of which would have a lock of its own', async () => {
    const [target, other] = ['state.json', 'other.json'].map((name) => join(servers.folder, name))
    if (target === undefined || other === undefined) throw new Error('two names are listed above')
    await writeFile(target, '')
    await link(target, other)
    await expect(lockFile(other, 'state')).rejects.toThrow('has 2 names (hard links)')
    await rm(target)
    await (await lockFile(other, 'state'))?.release()
  })

  it('is free after its holder has ended', async () => {
    const target = join(servers.folder, 'state.json')
    const first = await lockFile(target, 'state')
    await expect(lockFile(target, 'state')).rejects.toThrow(`process id ${process.pid}`)
    await first?.release()
    const second = await lockFile(target, 'state')
    expect(await second?.isHeld()).toBe(true)
    await second?.release()
    expect(await readdir(servers.folder)).toEqual([])
  })

  it('is held by one of two that take it at the same moment, and the other one knows', async () => {
    const target = join(servers.folder, 'state.json')
    const locks = await Promise.all([lockFile(target, 'state'), lockFile(target, 'state')])
    const held = await Promise.all(locks.map((lock) => lock?.isHeld()))
    expect(held.toSorted()).toEqual([false, true])
    await Promise.all(locks.map((lock) => lock?.release()))
    expect(await readdir(servers.folder)).toEqual([])
  })

  it('stays with its holder when its file is removed', async () => {
    const lock = await lockFile(join(servers.folder, 'state.json'), 'state')
    await rm(join(servers.folder, 'state.json.lock'))
    expect(await lock?.isHeld()).toBe(true)
    await lock?.release()
  })

  it('does not replace a file that is not a lock', async () => {
    const path = join(servers.folder, 'state.json.lock')
    await writeFile(path, 'of the user')
    expect((await servers.start().ended).stderr).toContain(`${path} is there, and is not a lock. Remove it.`)
    expect(await readFile(path, 'utf8')).toBe('of the user')
  })

  it('is not there where the name of a socket would be too long, and the server says so', async () => {
    servers.path = join(servers.folder, `${'state'.repeat(30)}.json`)
    const running = await servers.startReady()
    expect(await servers.stop(running)).toEqual({
      code: 0,
      stderr: `modelrun-server: The state ${servers.path} cannot be locked here. Let no other server use it.\n`,
    })
  })
})
