import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { cli, useCli } from '../test/cli-harness.ts'

useCli()

describe('modelrun', () => {
  it('prints its version and its help with exit code 0', async () => {
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
    expect(await cli.run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
    const help = await cli.run(['--help'])
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('Exit codes:') })
    expect(await cli.run([])).toEqual(help)
  })

  it.each([
    [['--'], 'name a command. `modelrun --help` lists them.'],
    [['modls'], "unknown command 'modls'. Did you mean models?"],
    [['model'], "missing required argument 'id'"],
    [['models', '--serch', 'x'], "unknown option '--serch'. Did you mean --search?"],
    [['models', '--base-url', 'localhost:1'], 'MODELRUN_BASE_URL or --base-url must be an http or https URL'],
    [['mcp', '--out', 'out', '--budget', 'much'], 'a whole number from 0 on'],
    [['run', '--timeout', '0', 'aurora-image'], 'It must be a number above 0.'],
  ])('ends with exit code 2 for %j', async (args, message) => {
    const { code, stdout, stderr } = await cli.run(args)
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
  })

  it('prints one versioned JSON object a line, also for errors, and nothing else on standard output', async () => {
    const listed = await cli.events('models', '--search', 'aurora')
    const model = { v: 1, type: 'model', model: expect.objectContaining({ id: expect.any(String) }) }
    expect(listed.events.length).toBeGreaterThan(1)
    expect(listed.events).toEqual(listed.events.map(() => model))
    const { events } = await cli.events('run', 'aurora-image', '--prompt', 'x', '--image-size', 'square')
    expect(events.map(({ v, type }) => `${v} ${type}`)).toEqual(expect.arrayContaining(['1 price', '1 job']))
    expect(events.at(-1)).toMatchObject({ v: 1, status: 'succeeded', files: [expect.stringMatching(/\.png$/)] })
    const error = { v: 1, type: 'error', code: 'usage', message: expect.any(String), exit_code: 2 }
    expect(await cli.events('run', 'aurora-image')).toEqual({ code: 2, events: [error] })
  })

  it('continues when its reader goes away', async () => {
    const { child, ended } = cli.start(['run', 'aurora-image', '--prompt', 'x', '--image-size', 'square'])
    child.stdout.destroy()
    expect((await ended).code).toBe(0)
  })

  it.skipIf(process.platform !== 'linux')('saves the files when its output cannot be written', async () => {
    const run = 'run aurora-image --prompt x --num-images 2 --image-size square --out images > /dev/full'
    const shell = ['-c', `"$0" "$1" ${run}`, process.execPath, cli.command]
    const failure = promisify(execFile)('sh', shell, { cwd: cli.folder, env: cli.env() })
    await expect(failure).rejects.toMatchObject({
      code: 1,
      // Once.
      stderr: expect.stringMatching(/\nmodelrun: standard output cannot be written: ENOSPC.*\n$/),
    })
    expect(await readdir(join(cli.folder, 'images'))).toHaveLength(2)
  })
})

it('modelrun job and cancel show, cancel and list jobs', async () => {
  cli.server.script('aurora-image', [{ result: 'hang' }])
  const { stdout } = await cli.run(['run', 'aurora-image', '--prompt', 'x', '--no-wait'])
  const id = stdout.trim()
  expect(await cli.run(['job', id])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^(queued|processing)\n/),
  })
  expect(await cli.run(['cancel', id])).toMatchObject({ code: 0, stdout: 'cancelled\n' })
  expect(await cli.run(['job', id])).toMatchObject({ code: 1, stdout: 'cancelled\n' })
  expect((await cli.run(['cancel', id])).code).toBe(4)
  expect((await cli.run(['job'])).stdout).toMatch(new RegExp(`\\n${id} +cancelled +aurora-image +4 `))
  expect((await cli.run(['job', 'job_none'])).code).toBe(4)
  cli.server.faults.add({ kind: 'reset', route: 'cancelJob' })
  expect(await cli.run(['cancel', 'job_x'])).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/is not known: read its status with: modelrun job job_x\.\n$/),
  })
})

it('modelrun doctor says what is right, and what to do about what is not', async () => {
  expect(await cli.run(['doctor'])).toMatchObject({ code: 0, stdout: expect.not.stringContaining('✗') })
  const { key } = cli.server.createKey({ permissions: ['models:read', 'jobs:read'] })
  const weak = await cli.run(['doctor'], { env: { MODELRUN_API_KEY: key } })
  expect([weak.code, weak.stdout]).toEqual([
    1,
    expect.stringContaining('✗ jobs:write   Not allowed. Give the key jobs:write'),
  ])
  const none = await cli.run(['doctor'], { env: { MODELRUN_API_KEY: undefined, MODELRUN_BASE_URL: undefined } })
  expect(none.stdout).toMatch(/✗ key {10}There is no API key[\s\S]*✗ url {10}There is no url/)
  cli.server.faults.add({ kind: 'response', route: 'listModels', status: 403, body: '<html>' })
  const blocked = await cli.run(['doctor'])
  expect(blocked.stdout).toMatch(/✗ call {9}.*HTTP 403.* Is the url that of the service\?\n$/)
  expect(cli.inputs()).toEqual([])
})

it('modelrun types writes the types of models, and names a file that cannot be written', async () => {
  expect(await cli.run(['types', 'aurora-image'])).toMatchObject({ code: 0, stdout: '' })
  expect(await cli.read('modelrun.models.d.ts')).toContain("'aurora-image': {")
  expect(await cli.run(['types', 'aurora-image', '--out', '/dev/null/a.d.ts'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^modelrun: E\w+: .*\/dev\/null.*\n$/),
  })
})

it('modelrun dev starts a service, and prints how to use it', async () => {
  const dev = cli.start(['dev', '--port', '0', '--json'])
  await once(dev.child.stdout, 'data')
  const { url, key } = JSON.parse(dev.printed.stdout)
  const env = { MODELRUN_BASE_URL: url, MODELRUN_API_KEY: key }
  expect(await cli.run(['models'], { env })).toMatchObject({ code: 0 })
  dev.child.kill('SIGINT')
  expect((await dev.ended).code).toBe(0)
  const port = new URL(cli.url).port
  expect(await cli.run(['dev', '--port', port])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is in use'),
  })
})
