import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { createTestFolder } from '../../../test/saving-client.ts'
import { text } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import type { DownloadOptions } from './file-options.ts'

const read = async (file: Promise<{ blob(): Promise<Blob> }>) => await (await (await file).blob()).text()

describe('the url of a file', () => {
  const open = (url: string, baseUrl: string, options: DownloadOptions = {}) =>
    createTestClient([text(200, 'pixels')], { baseUrl }).client.files.download({ type: 'image', url }, options)

  test.each([
    ['http://169.254.169.254/latest/meta-data', 'its host is a number instead of a name'],
    ['http://[::ffff:169.254.169.254]/', 'its host is a number instead of a name'],
    ['http://10.0.0.5:5432/', 'its host is a number instead of a name'],
    ['http://localhost/', 'its host is a name within a private network'],
    ['http://metadata.google.internal/', 'its host is a name within a private network'],
    ['https://10-0-0-5.example.com/', 'its host is a name within a private network'],
    ['https://127.0.0.1.nip.io/', 'its host is a name within a private network'],
  ])('%s is not fetched by the client of a public service', async (url, problem) => {
    const { client, service } = createTestClient([text(200, 'pixels')])
    const produced = { job_id: 'job_1', output: { type: 'image', items: [{ type: 'image', url }] } }
    const folder = await createTestFolder()
    const errors = await Promise.all([
      caught(client.files.download(url), ConfigurationError),
      caught(client.files.save(produced, folder.path), ConfigurationError),
    ])
    await folder.remove()
    for (const { message } of errors)
      expect(message).toContain(`is not fetched: ${problem}. If you trust that host, name`)
    expect(errors[1]).toMatchObject({ jobId: 'job_1', submission: 'accepted' })
    expect(errors[1].message).toContain('The result of the job job_1 is not lost')
    expect(service.received).toHaveLength(0)
  })

  test.each([
    ['a public name', 'https://cdn.example.net/0.png', 'https://api.example.com'],
    ['a public name without https', 'http://cdn.example.net/0.png', 'https://api.example.com'],
    ['this machine, as the service', 'http://127.0.0.1:4011/0.png', 'http://localhost:4010'],
    ['the host of a service in a private network', 'http://10.0.0.5:9000/0.png', 'http://10.0.0.5:8080'],
    ['the name of a service in a private network', 'http://modelrun:4010/0.png', 'http://modelrun:4010'],
  ])('is fetched from %s', async (_, url, baseUrl) => {
    await expect(read(open(url, baseUrl))).resolves.toBe('pixels')
  })

  test.each([
    ['another host of the private network of the service', 'http://10.0.0.6/0.png', 'http://10.0.0.5:8080'],
    ['this machine, for a service elsewhere in the private network', 'http://127.0.0.1/0.png', 'http://10.0.0.5:8080'],
  ])('is fetched from %s when it is allowed', async (_, url, baseUrl) => {
    await caught(open(url, baseUrl), ConfigurationError)
    await expect(read(open(url, baseUrl, { allowedHosts: [new URL(url).host] }))).resolves.toBe('pixels')
  })
})
