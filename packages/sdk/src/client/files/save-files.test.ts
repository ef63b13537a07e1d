import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { createFileHost, type HostedFile } from '../../../test/file-host.ts'
import { createSavingClient, folderOfEachTest, resultOf } from '../../../test/saving-client.ts'
import { text } from '../../../test/scripted-service.ts'
import { AbortedError, InvalidResponseError } from '../errors/transport-errors.ts'
import type { SaveOptions } from './file-options.ts'

const folder = folderOfEachTest()

const hosts = (...contents: string[]) => contents.map((content) => createFileHost({ content }))

describe('files.save (section 2.5)', () => {
  test('saves every file of a result in a folder, which it creates', async () => {
    const { client } = createSavingClient(...hosts('first', 'second'))
    const target = join(folder.path, 'deep', 'er')
    const paths = await client.files.save(resultOf('job_1', 2), target)
    expect(paths).toEqual([join(target, 'job_1-0.png'), join(target, 'job_1-1.png')])
    await expect(Promise.all(paths.map((path) => readFile(path, 'utf8')))).resolves.toEqual(['first', 'second'])
  })

  test('saves a file whole that becomes shorter while it is fetched', async () => {
    const file: HostedFile = { content: 'x'.repeat(70_000), faults: [{ bytes: 60_000, how: 'breaks' }] }
    const serve = createFileHost(file)
    const { client, service } = createSavingClient((request) => {
      if (service.received.length > 1) file.content = 'y'.repeat(10_000)
      return serve(request)
    })
    await client.files.save(resultOf('job_1'), folder.path)
    expect(await folder.files()).toEqual({ 'job_1-0.png': file.content })
  })

  test('names files after the type that the response has', async () => {
    const { client } = createSavingClient(text(200, 'x', { 'content-type': 'audio/wav' }))
    await expect(client.files.save(resultOf('job_1'), folder.path)).resolves.toEqual([join(folder.path, 'job_1-0.wav')])
  })

  test.each([
    ['/a/f0', 'job_1-0.gif', 'GIF89a then more'],
    ['/', 'job_1-0.gif', 'GIF89a'],
    ['/', 'job_1-0.bin', 'a text'],
    ['/a/f0', 'job_1-0', 'a text'],
    ['/a/f0.dat', 'job_1-0.dat', 'GIF89a'],
  ])('names a file without a type after its bytes, when its url (%s) says nothing: %s', async (path, name, content) => {
    const { client } = createSavingClient(
      createFileHost({ content, headers: { 'content-type': 'application/octet-stream' } }),
    )
    const items = [{ type: 'image', url: `https://files.example.com${path}` }]
    await client.files.save({ job_id: 'job_1', output: { type: 'image', items } }, folder.path)
    expect(await folder.files()).toEqual({ [name]: content })
  })

  test('says so where there is no file system', async () => {
    const { client } = createSavingClient(text(200, 'x'))
    vi.stubGlobal('process', undefined)
    await caught(client.files.save(resultOf('job_1'), folder.path), ConfigurationError)
  })
})

describe('a file that cannot be downloaded', () => {
  test('does not keep the others from being saved, and the same call fetches it later', async () => {
    const file: HostedFile = { content: 'second', faults: [text(404, '')] }
    const { client, service } = createSavingClient(...hosts('first'), createFileHost(file), ...hosts('third'))
    const save = () => client.files.save(resultOf('job_1', 3), folder.path)
    expect(await caught(save(), InvalidResponseError)).toMatchObject({ status: 404 })
    expect(await folder.files()).toEqual({ 'job_1-0.png': 'first', 'job_1-2.png': 'third' })
    await expect(save()).resolves.toHaveLength(3)
    expect(await folder.files()).toEqual({ 'job_1-0.png': 'first', 'job_1-1.png': 'second', 'job_1-2.png': 'third' })
    expect(service.received).toHaveLength(6)
  })

  test.each([
    ['<!doctype html><title>Sign in</title>'],
    [' <HTML>'],
    ['{"error":"expired"}'],
    [''],
    ['<?xml version="1.0"?>\n<!-- S3 -->\n<Error><Code>AccessDenied</Code>'],
    ['Access denied', 'text/plain; charset=utf-8'],
    ['"expired"', 'application/json'],
  ])(
    'is an image of which the host sends %j (%s), and the same call fetches it later',
    async (content, type = 'image/png') => {
      const headers = { 'content-type': type }
      const file: HostedFile = { content, headers }
      const { client } = createSavingClient(createFileHost(file))
      const save = () => client.files.save(resultOf('job_1'), folder.path)
      expect(await caught(save(), InvalidResponseError)).toMatchObject({ isRetryable: true, jobId: 'job_1' })
      expect(await folder.files()).toEqual({})
      const [item = ''] = resultOf('job_1').output.items
      await caught((await client.files.download(item)).bytes(), InvalidResponseError)
      Object.assign(file, { content: 'pixels', headers: { 'content-type': 'image/png' } })
      await save()
      expect(await folder.files()).toEqual({ 'job_1-0.png': 'pixels' })
    },
  )

  test.each([
    '\ufeff<?xml version="1.0"?>\n<!-- a > b --><!DOCTYPE svg PUBLIC "x">\n<svg/>',
    `<?xml version="1.0"?><!-- ${'a'.repeat(99)} --><svg/>`,
    '#EXTM3U\n#EXT-X-VERSION:3',
    '<?xml version="1.0"?><MPD/>',
    'GIF89a\u0001\0',
  ])('is none whose bytes are %j, whatever the header says', async (content) => {
    const { client } = createSavingClient(createFileHost({ content, headers: { 'content-type': 'text/plain' } }))
    await client.files.save(resultOf('job_1'), folder.path)
    expect(Object.values(await folder.files())).toEqual([content])
  })

  test('leaves nothing behind when the save is aborted', async () => {
    const stalling = createFileHost({ content: 'pixels'.repeat(99), faults: [{ bytes: 300, how: 'stalls' }] })
    const { client } = createSavingClient(stalling)
    const controller = new AbortController()
    const save = caught(client.files.save(resultOf('job_1'), folder.path, { signal: controller.signal }), AbortedError)
    await vi.waitFor(async () => expect(await readdir(folder.path)).toEqual([expect.stringMatching(/\.part$/)]), {
      timeout: 100_000,
    })
    controller.abort()
    await save
    await vi.waitFor(async () => expect(await readdir(folder.path)).toEqual([]), { timeout: 100_000 })
  })
})

test('the option `name` names each file by its item and place', async () => {
  const { client } = createSavingClient(...hosts('first', 'second'))
  const name: SaveOptions['name'] = ({ type }, index) => `${type} ${index}`
  const paths = await client.files.save(resultOf('job_1', 2), folder.path, { name })
  expect(paths).toEqual(['image 0.png', 'image 1.png'].map((file) => join(folder.path, file)))
})

test('a wrong name is an error before anything is fetched', async () => {
  const { client, service } = createSavingClient(...hosts('x'))
  await caught(client.files.save(resultOf('job_1'), folder.path, { name: () => '../fox' }), ConfigurationError)
  expect(service.received).toHaveLength(0)
})

test('a file at a host that `allowedHosts` does not name is not fetched', async () => {
  const { client, service } = createSavingClient(...hosts('x'))
  const options = { allowedHosts: ['cdn.example.com'] }
  await caught(client.files.save(resultOf('job_1'), folder.path, options), ConfigurationError)
  expect(service.received).toHaveLength(0)
})

test('two names that are one with their extension are an error, also with `overwrite`', async () => {
  const { client } = createSavingClient(...hosts('x', 'y'))
  const name = (_: unknown, index: number) => ['fox', 'fox.png'][index] ?? ''
  await caught(client.files.save(resultOf('job_1', 2), folder.path, { name, overwrite: true }), ConfigurationError)
  expect(await folder.files()).toEqual({ 'fox.png': 'y' })
})
