import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli, openCli, useCli } from '../../test/cli-harness.ts'

useCli()

describe('modelrun run', () => {
  it('takes the parameters of the model as flags, in the types of its schema', async () => {
    const flags = ['--prompt', '-a fox', '--image-size', 'square', '--num-images=2']
    const { code, stdout, stderr } = await cli.run(['run', 'aurora-image', ...flags, '--out', 'images'])
    expect([code, stderr]).toEqual([0, expect.stringContaining('A run of aurora-image costs 4 credits.')])
    expect(cli.inputs()).toEqual([{ prompt: '-a fox', image_size: 'square', num_images: 2 }])
    const files = stdout.trim().split('\n')
    expect(files).toEqual([
      expect.stringMatching(/^images\/aurora-image-job_\w+-0\.png$/),
      expect.stringMatching(/^images\/aurora-image-job_\w+-1\.png$/),
    ])
    const [first = ''] = files
    expect((await readFile(join(cli.folder, first))).subarray(1, 4).toString()).toBe('PNG')
  })

  it('takes switches as --name and --no-name, and texts that look like other types', async () => {
    const url = 'https://example.com/a.png'
    await cli.run(['run', 'pixelwright/upscale', '--image-url', url, '--face-detail', '--scale', '4', '--no-wait'])
    await cli.run(['run', 'pixelwright/upscale', '--image-url', url, '--no-face-detail', '--no-wait'])
    await cli.run(['run', 'aurora-image', '--prompt', '7', '--no-wait'])
    await cli.run(['run', 'aurora-image', 'a red fox', '--num-images', '2', '--no-wait'])
    expect(cli.inputs()).toEqual([
      { image_url: url, face_detail: true, scale: 4 },
      { image_url: url, face_detail: false },
      { prompt: '7' },
      { prompt: 'a red fox', num_images: 2 },
    ])
    const { code, stderr } = await cli.run(['run', 'pixelwright/upscale', 'photo'])
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('Unexpected argument "photo": put the flag of its parameter before it.'),
    ])
  })

  it('reads the input from a file and from standard input, and flags win', async () => {
    await cli.write('input.json', '{"prompt":"a fox","num_images":1}')
    await cli.run(['run', 'aurora-image', '--input', 'input.json', '--num-images', '2', '--no-wait'])
    await cli.run(['run', 'aurora-image', '-', '--no-wait'], { input: '{"prompt":"a hare"}' })
    await cli.run(['run', '--input', '-', 'aurora-image', '--no-wait'], { input: '{"prompt":"a crow"}' })
    expect(cli.inputs()).toEqual([{ prompt: 'a fox', num_images: 2 }, { prompt: 'a hare' }, { prompt: 'a crow' }])
  })

  it.each([
    [['--promt', 'x'], "unknown option '--promt'. Did you mean --prompt?"],
    [['--prompt', 'x', '--num-images', '9'], '--num-images: must be at most 4, not 9.'],
    [['--prompt', 'x', '--num-images', 'two'], '--num-images: must be of type integer, not "two".'],
    [['--prompt', 'x', '--image-size', 'round'], '--image-size: must be one of "square", "square_hd"'],
    [['--prompt', 'x', '--prompt', 'y'], '--prompt is given 2 times. Give it once.'],
    [[], '--prompt: the parameter is required.'],
    [['--prompt', 'y', 'x'], '"x" has no flag, and --prompt is given too. Put quotes around a value with spaces.'],
    [['x', 'y'], 'Unexpected argument "y" after "x". Put quotes around a value with spaces.'],
    [['--input', 'missing.json'], 'The file missing.json of --input cannot be read'],
    [['--prompt', 'x', '--max-credits', 'ten'], 'It must be a number of credits, such as 10.'],
    [['--prompt', 'x'], 'There is no model aurora-imag. Did you mean aurora-image?\n', 'aurora-imag'],
  ])('ends with exit code 2 and sends nothing for %j', async (args, message, id = 'aurora-image') => {
    const { code, stdout, stderr } = await cli.run(['run', id, ...args])
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
    expect(cli.inputs()).toEqual([])
  })

  it.each([
    ['run aurora-imag x --json', 2, 'usage'],
    ['run aurora-image x --json --base-url http://127.0.0.1:1', 3, 'connection_failed'],
    ['run aurora-image --json x --promt y', 2, 'usage'],
    ['run aurora-image --prompt --json', 2, 'usage'],
    ['listen job_1 --json --forward-to http://127.0.0.1:1', 1, 'not_found'],
  ])('writes an error as an event wherever --json stands: %s', async (line, exitCode, error) => {
    const { code, stdout } = await cli.run([...line.split(' ')])
    const last = stdout.trim().split('\n').at(-1) ?? ''
    expect([code, last.startsWith('{') ? JSON.parse(last).code : undefined]).toEqual([exitCode, error])
  })

  it('says at the end of --timeout that the job continues, and how to follow it', async () => {
    cli.server.script('aurora-image', [{ result: 'hang' }])
    const { code, stderr } = await cli.run(['run', 'aurora-image', '--prompt', 'x', '--timeout', '0.001'])
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(/The job continues, and may be charged\. Follow it with: modelrun job job_\w+ --watch\./),
    ])
  })

  it('shows the model as its help', async () => {
    const { code, stdout } = await cli.run(['run', 'aurora-image', '--help'])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /A run costs 4 credits\.[\s\S]*Parameters:[\s\S]*--num-images <integer> +How many images to draw\. \(1 to 4; default: 1\)/,
    )
  })

  it('sends a local image as a data URI', async () => {
    const { stdout } = await cli.run(['run', 'aurora-image', '--prompt', 'x', '--image-size', 'square'])
    const image = stdout.trim()
    const { code } = await cli.run(['run', 'inkfield/restyle', '--image-url', image, '--prompt', 'x', '--no-wait'])
    expect([code, cli.bodies()[1]]).toEqual([0, expect.stringContaining('"image_url":"data:image/png;base64,')])
    const missing = await cli.run(['run', 'inkfield/restyle', '--image-url', 'photo.png', '--prompt', 'x'])
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--image-url: photo.png is not a url, and there is no such file.'),
    })
  })

  it('never replaces a file that is there', async () => {
    const { stdout } = await cli.run(['run', 'aurora-image', 'a fox', '--image-size', 'square'])
    const [, name, id = ''] = /^(aurora-image-(job_\w+)-0)\.png\n$/.exec(stdout) ?? []
    await cli.write(`${name}.png`, 'precious')
    expect((await cli.run(['job', id, '--watch'])).stdout).toBe(`${name}-2.png\n`)
    expect(await cli.read(`${name}.png`)).toBe('precious')
  })

  it('keeps files in the folder, whatever ids the service has', async () => {
    await openCli({ catalog: [{ ...MODEL, id: '../../evil/..' }] })
    const { code, stdout } = await cli.run(['run', '../../evil/..', '--prompt', 'x', '--out', 'inside'])
    expect(code).toBe(0)
    expect(await readdir(join(cli.folder, 'inside'))).toEqual([expect.stringMatching(/^_[^/]*\.png$/)])
    expect(stdout).toMatch(/^inside\/_/)
    expect((await readdir(cli.folder)).toSorted()).toEqual(['inside', 'state'])
  })

  it('takes parameters whose names are those of its own options, or no flags at all', async () => {
    const properties = {
      out: { type: 'string' },
      'two words': { type: 'integer' },
      constructor: { type: 'string' },
      tags: { type: 'array' },
      extra: { type: 'object' },
    }
    await openCli({ catalog: [{ ...MODEL, input_schema: { type: 'object', properties } }] })
    const flags = ['--constructor', 'c', '--tags', 'a', '--tags', 'b', '--extra', '{"deep":[1]}']
    const input = '{"out":"n","two words":2}'
    const { code, stderr } = await cli.run(['run', 'a', '-', ...flags, '--no-wait'], { input })
    expect([code, stderr]).toEqual([0, expect.anything()])
    expect(cli.inputs()).toEqual([
      { out: 'n', 'two words': 2, constructor: 'c', tags: ['a', 'b'], extra: { deep: [1] } },
    ])
  })
})

const MODEL = {
  id: 'a',
  name: 'A model',
  description: 'Draws.',
  category: 'text-to-image',
  provider: 'Tests',
  status: 'active',
  pricing: { credits_per_run: 4 },
  input_schema: { type: 'object', properties: { prompt: { type: 'string' } } },
  output_kind: 'image' as const,
  latency_ms: 0,
}
