import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { listen } from '@modelrun/reference-server/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCheckedServer } from './openapi/checked-server.ts'
import { POSTGRES_PROGRAMS, startPostgres } from './services/postgres.ts'
import { needs } from './services/programs.ts'
import { REDIS_PROGRAMS, startRedis } from './services/redis.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const here = dirname(fileURLToPath(import.meta.url))
const QUIET = ['--prefer-offline', '--no-audit', '--no-fund']
const PACKAGES = [
  '@modelrun/contract',
  'modelrun',
  '@modelrun/reference-server',
  '@modelrun/conformance',
  '@modelrun/durable',
  '@modelrun/ai-sdk-provider',
  '@modelrun/cli',
]

// npm takes the `node` of the PATH for what it starts.
const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` }

async function run(command: string, args: string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd, env })
  return stdout
}

/** A service for the commands that are installed in a folder. */
async function serve(cwd: string) {
  const server = createCheckedServer({ clock: 'system', latency: 0 })
  const { url, close } = await listen(server)
  const settings = { MODELRUN_API_KEY: server.apiKey, MODELRUN_BASE_URL: url, MODELRUN_STATE_DIR: cwd }
  const npx = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)('npx', args, { cwd, env: { ...env, ...settings } })
    return stdout
  }
  return { url, npx, [Symbol.asyncDispose]: close }
}

/** The projects of `lab/consumers` without what is installed in them, and the documents whose files they take. */
async function createUsersFolder(parent: string): Promise<string> {
  const folder = join(parent, 'lab/consumers')
  const filter = (path: string) => !/[\\/](node_modules|out)$/.test(path)
  await cp(join(root, 'lab/consumers'), folder, { recursive: true, filter })
  await cp(join(root, 'README.md'), join(parent, 'README.md'))
  await cp(join(root, 'examples'), join(parent, 'examples'), { recursive: true, filter })
  await cp(join(root, 'docs/guides'), join(parent, 'docs/guides'), { recursive: true })
  return folder
}

/** At night the examples are run too. */
const isNightly = process.env.NIGHTLY === '1'

/** Tools of other projects of `lab/consumers`, which are here already. */
async function linkOurTools(folder: string): Promise<void> {
  await mkdir(join(folder, 'vitest-5/node_modules'))
  const tools = {
    'typescript-5.9': 'node_modules/typescript-5.9',
    typescript: 'node_modules/typescript-6',
    'typescript-7': 'node_modules/typescript-7',
    vitest: 'vitest-5/node_modules/vitest',
  }
  for (const [name, path] of Object.entries(tools)) {
    await symlink(join(root, 'node_modules', name), join(folder, path), 'junction')
  }
  // The compiler of ts-jest there.
  await symlink(join(folder, 'node_modules/typescript'), join(folder, 'node_modules/typescript-5.5'), 'junction')
}

const { isMissing, note } = needs(...POSTGRES_PROGRAMS, ...REDIS_PROGRAMS)

/** The databases of the examples. */
async function startServices() {
  if (isMissing) return { env: {}, [Symbol.asyncDispose]: async () => {} }
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  return {
    env: { DATABASE_URL: postgres.url, REDIS_URL: `redis://127.0.0.1:${redis.port}` },
    [Symbol.asyncDispose]: async () => void (await Promise.all([postgres.stop(), redis.stop()])),
  }
}

describe('the packed packages, installed by a user', () => {
  let parent: string
  let folder: string
  let tarballs: string[]

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'modelrun-packed-'))
    folder = await createUsersFolder(parent)
    // CI has just built them.
    if (process.env.PACKAGES_ARE_BUILT !== '1') await run('npm', ['run', 'build', '--silent'], root)
    const workspaces = PACKAGES.flatMap((name) => ['--workspace', name])
    const packed = await run('npm', ['pack', '--json', '--pack-destination', parent, ...workspaces], root)
    const files = Object.values(JSON.parse(packed) as Record<string, { filename: string }>)
    tarballs = files.map(({ filename }) => join(parent, filename))
    const names = ['jest-30', 'express', ...(isNightly ? ['examples', 'playwright'] : [])]
    const projects = names.flatMap((name) => ['--workspace', name])
    const quiet = [...projects, ...QUIET]
    await run('npm', ['ci', ...quiet], folder)
    await run('npm', ['install', '--no-save', ...quiet, ...tarballs], folder)
    await linkOurTools(folder)
  }, 900_000)

  afterAll(async () => {
    await rm(parent, { recursive: true, force: true })
  })

  /** A project with some of the packages, and with others from npm. */
  async function installAlone(pattern: RegExp, others: readonly string[] = []): Promise<string> {
    const alone = await mkdtemp(join(parent, 'alone-'))
    await writeFile(join(alone, 'package.json'), '{ "private": true }')
    const needed = tarballs.filter((tarball) => pattern.test(tarball))
    await run('npm', ['install', ...QUIET, ...needed, ...others], alone)
    return alone
  }

  it.each([['four projects of users', '--quick'], ...(isNightly ? [[`the examples${note}`, 'example']] : [])])(
    'do their job in %s',
    async (_, which = '') => {
      await using services = await startServices()
      const options = { cwd: folder, env: { ...env, ...services.env } }
      const checked = promisify(execFile)(process.execPath, ['run.mjs', which], options)
      const output = await checked.then(({ stdout }) => stdout).catch(({ stdout, stderr }) => stderr + stdout)
      expect(output).toMatch(/\n0 failed\n$/)
    },
    900_000,
  )

  describe('durable, installed alone', () => {
    let alone: string

    beforeAll(async () => {
      // The examples bring bullmq, which an app without a queue in Redis does not have.
      alone = await installAlone(/\/modelrun-(contract-|durable-)?[\d.]+\.tgz$/)
    }, 900_000)

    it.each(['import', 'require'])('has every part by %s, and names what the engine on BullMQ lacks', async (by) => {
      const program = `
      for (const path of ['', '/marks', '/postgres', '/sqlite', '/bullmq']) {
        const part = await Promise.resolve().then(() => ${by}('@modelrun/durable' + path)).catch(({ message }) => message)
        console.log(path, typeof part === 'string' ? part.match(/^Cannot find .* '(bullmq|ioredis)'/)?.[0] : Object.keys(part).length > 0)
      }`
      const source = by === 'import' ? program : `(async () => { ${program} })()`
      const type = `--input-type=${by === 'import' ? 'module' : 'commonjs'}`
      const output = await run(process.execPath, [type, '-e', source], alone)
      expect(output).toMatch(/^ true\n\/marks true\n\/postgres true\n\/sqlite true\n\/bullmq Cannot find /)
    })
  })

  describe('the command line, installed with the package that `modelrun mcp` needs', () => {
    let alone: string

    beforeAll(async () => {
      const protocol = ['server', 'client'].map((name) => `@modelcontextprotocol/${name}@2`)
      alone = await installAlone(/^(?!.*(conformance|ai-sdk-provider))/, protocol)
    }, 900_000)

    it.each(['legacy', 'auto'])('pays each run of an agent once after an abort and a kill: %s', async (mode) => {
      await cp(join(here, 'packed-packages/agent.mjs'), join(alone, 'agent.mjs'))
      const output = await run(process.execPath, ['agent.mjs', mode], alone)
      const states = ['succeeded succeeded', 'aborted', 'succeeded', 'running', 'succeeded', 'succeeded', 'succeeded']
      expect(output.trim().split('\n')).toEqual(['6 tools', ...states, '12 credits'])
    })
  })

  it('give exact types to the models that a program declares, as ES module and as CommonJS', async () => {
    const program = `
      import { ModelRun } from 'modelrun'
      declare module 'modelrun' {
        interface ModelInputs { 'aurora-image': { prompt: string; num_images?: number } }
        interface ModelInputsSettings { onlyListedModels: true }
      }
      export async function program(client: ModelRun, dynamic: string) {
        await client.run('aurora-image', { prompt: 'x' })
        await client.run(dynamic, { anything: 1 })
        // @ts-expect-error a mistyped id
        await client.run('aurora-imag', { prompt: 'x' })
        // @ts-expect-error a mistyped parameter
        await client.run('aurora-image', { prompt: 'x', num_image: 2 })
        // @ts-expect-error a missing parameter
        await client.submit('aurora-image', {})
      }`
    const files = ['program.mts', 'program.cts']
    await Promise.all(files.map((file) => writeFile(join(folder, file), program)))
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023']
    const checked = run(process.execPath, [tsc, ...options, ...files], folder)
    await expect(checked.catch(({ stdout }) => stdout)).resolves.toBe('')
  })

  it.each(['modelrun-server', 'modelrun-conformance', 'modelrun'])(
    'say where the documentation of %s is',
    async (command) => {
      const help = await run('npx', [command, '--help'], folder)
      const [, path = ''] = /^Documentation: (\S+)$/m.exec(help) ?? []
      expect(await readFile(resolve(folder, path), 'utf8')).toContain(help.match(/@modelrun\/[\w-]+/)?.[0])
    },
  )

  it('check a server with npx against the specification', async () => {
    await using service = await serve(folder)
    const output = await service.npx('modelrun-conformance', '--base-url', service.url)
    expect(output).toMatch(/ 0 failed, .*no credits were spent/)
  })

  it('run a model and a batch from a shell', async () => {
    await using service = await serve(folder)
    const modelrun = (...args: string[]) => service.npx('modelrun', ...args, '--out', join(parent, 'shell'))
    expect(await modelrun('run', 'aurora-image', '--prompt', 'a fox', '--image-size', 'square')).toMatch(/-0\.png\n$/)
    await writeFile(join(parent, 'rows.csv'), 'prompt\na fox\n')
    const output = await modelrun('batch', 'aurora-image', '--inputs', join(parent, 'rows.csv'))
    expect(output).toMatch(/^STATE +ROWS\nsucceeded +1\n/)
  })

  it('start the server with npx, which prints its URL and ends cleanly', async () => {
    const server = spawn('npx', ['modelrun-server', '--port', '0', '--json'], { cwd: folder, env, detached: true })
    const [line] = await once(createInterface(server.stdout), 'line')
    const ready = JSON.parse(String(line)) as { ready: boolean; url: string; key: string }
    const response = await fetch(`${ready.url}/v1/models`, { headers: { authorization: `Bearer ${ready.key}` } })
    expect(ready.ready).toBe(true)
    expect(response.status).toBe(200)
    // Files that the command loads when they are asked for.
    for (const path of ['/openapi.json', '/_reference/openapi.json']) {
      expect(await (await fetch(`${ready.url}${path}`)).json()).toMatchObject({ openapi: expect.any(String) })
    }
    // The whole process group: npx does not pass signals on.
    process.kill(-(server.pid ?? 0), 'SIGTERM')
    await once(server, 'close')
  })
})
