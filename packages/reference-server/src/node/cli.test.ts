import { once } from 'node:events'
import { copyFile, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderForTest } from '../../../kit/test/temp-folder.ts'
import { CLI, startNode, startReady } from '../../test/cli-process.ts'

/** Starts the command from its sources. */
const start = (...args: string[]) => startNode([...CLI, ...args])

/** Prints what is loaded, too. */
const TRACE = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) })`)}`

/** Starts a run and resolves when the server has it. The promise in the result has all that comes back. */
async function holdRun(url: string, key: string) {
  const body = JSON.stringify({ input: { prompt: 'a lighthouse' } })
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  const received = once(socket, 'close').then(() => text)
  // The server says "100 Continue" when it hands the request on, and headers and body come in one piece.
  socket.write(
    `POST /v1/models/aurora-image/run HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n${body}`,
  )
  await once(socket, 'data')
  return { received }
}

describe('modelrun-server --json', () => {
  it('prints exactly one line when it serves, and SIGTERM ends it with exit code 0', async () => {
    const { child, ended, firstLine, url, key } = await startReady()
    expect(JSON.parse(await firstLine)).toMatchObject({
      ready: true,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      key: expect.stringMatching(/^sk_(test|live)_/),
      controlToken: expect.stringMatching(/.{8}/),
    })
    const response = await fetch(`${url}/v1/models/aurora-image`, { headers: { authorization: `Bearer ${key}` } })
    expect(await response.json()).toMatchObject({ id: 'aurora-image' })
    child.kill('SIGTERM')
    expect(await ended).toEqual({ code: 0, stdout: `${await firstLine}\n`, stderr: '' })
  })

  it('ends with exit code 0 on SIGINT, with an idle connection open and a run held (section 4.3)', async () => {
    const { child, ended, url, key } = await startReady('--clock', 'manual')
    const idle = connect(Number(new URL(url).port), '127.0.0.1')
    const idleClosed = once(idle, 'close')
    await once(idle, 'connect')
    const held = await holdRun(url, key)
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    expect(await held.received).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    await idleClosed
  })
})

describe('modelrun-server', () => {
  it('says in one line what is wrong, and ends with exit code 1', async () => {
    const stderr = 'modelrun-server: --fault reset,times=0: /times must be 1 or more.\n'
    expect(await start('--fault', 'reset,times=0').ended).toEqual({ code: 1, stdout: '', stderr })
  })

  it.each([
    { args: ['--help'], code: 0 },
    { args: ['--version'], code: 0 },
    { args: ['--prot', '1'], code: 1 },
  ])('loads neither the server nor what it is made of for $args', async ({ args, code }) => {
    const { stdout, ...outcome } = await startNode(['--import', TRACE, ...CLI, ...args]).ended
    expect(outcome.code).toBe(code)
    expect(stdout).toContain('/src/node/cli-options.ts')
    expect(stdout).not.toMatch(/\/src\/(node\/listen|reference-server|service\/service)\.ts|node:http|hono/)
  })

  it('prints the version of its package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(await start('--version').ended).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('does not mind a reader that has gone away', async () => {
    const { child, ended } = start('--help')
    child.stdout.destroy()
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
  })
})

it('the command of a checkout that is not built says in one line to run the build', async () => {
  const directory = folderForTest()
  const bin = join(directory, 'modelrun-server.mjs')
  await copyFile(new URL('../../bin/modelrun-server.js', import.meta.url), bin)
  const outcome = await startNode([bin]).ended
  expect(outcome).toEqual({
    code: 1,
    stdout: '',
    stderr: 'modelrun-server is not built yet: run `npm run build` first.\n',
  })
})
