import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { StateServers } from '../../test/state-servers.ts'
import { lockFile } from './state-lock.ts'

let servers: StateServers

beforeEach(async () => {
  servers = await StateServers.create()
})

// The time limit is for a busy machine: processes start.
describe('the lock of a state file', () => {
  it('ends a second server with the process id of the first, which serves on', async () => {
    const first = await servers.startReady('--clock', 'manual')
    const { path } = servers
    servers.path = join(servers.folder, 'link.json')
    await symlink(path, servers.path)
    const { code, stderr } = await servers.start('--clock', 'manual').ended
    expect([code, stderr]).toEqual([
      1,
      `modelrun-server: The state ${path} is in use: the server with the process id ${first.child.pid} writes it. ` +
        `Stop it, or give each server a file of its own. If it is another program, remove ${path}.lock.\n`,
    ])
    const { job_id } = await first.run()
    expect(await servers.stop(first)).toEqual({ code: 0, stderr: '' })
    expect(await readFile(path, 'utf8')).toContain(job_id)
  })

  it('is taken by one of several that start at once', async () => {
    for (let round = 0; round < 50; round++) {
      const path = join(servers.folder, String(round))
      const taken = await Promise.allSettled([1, 2, 3].map(() => lockFile(path)))
      expect(taken.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
    }
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

  it('does not replace a file that is not a lock', async () => {
    const path = join(servers.folder, 'state.json.lock')
    await writeFile(path, 'of the user')
    expect((await servers.start().ended).stderr).toContain(`${path} is there, and is not a lock. Remove it.`)
    expect(await readFile(path, 'utf8')).toBe('of the user')
  })
})
