import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDashboard, type Dashboard } from './dashboard.ts'

describe('the files of the dashboard', () => {
  let folder: string
  let dashboard: Dashboard

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dashboard-'))
    await mkdir(join(folder, 'assets'))
    await writeFile(join(folder, 'index.html'), '<title>Page</title>')
    await writeFile(join(folder, 'assets/index-a1.js'), 'export {}')
    dashboard = await createDashboard({ folder })
  })

  afterAll(() => rm(folder, { recursive: true }))

  const get = (path: string, init?: RequestInit) => dashboard.respond(new Request(`http://127.0.0.1:4010${path}`, init))

  it('are served below one path: the page without a cache, its files cached for ever', async () => {
    const page = get('/_dashboard/')
    expect(page?.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page?.headers.get('cache-control')).toBe('no-cache')
    expect(await page?.text()).toBe('<title>Page</title>')
    const script = get('/_dashboard/assets/index-a1.js')
    expect(script?.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(script?.headers.get('cache-control')).toContain('immutable')
  })

  it('have a policy without anything unsafe', () => {
    for (const path of ['/_dashboard/', '/_dashboard/assets/index-a1.js', '/_dashboard']) {
      const policy = get(path)?.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'; script-src 'self'")
      expect(policy).not.toMatch(/unsafe|\*|https?:|data:/)
    }
  })

  it('are shown to a browser that asks for the root', () => {
    const led = get('/', { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect([led?.status, led?.headers.get('location')]).toEqual([302, '/_dashboard/'])
  })

  it('leave everything else to the server', () => {
    const others = [
      '/',
      '/v1/models',
      '/index.html',
      '/_dashboard/none.js',
      '/_dashboard/../index.html',
      '/x/_dashboard/',
    ]
    expect(others.map((path) => get(path))).toEqual(others.map(() => undefined))
    expect(get('/_dashboard/', { method: 'POST' })).toBeUndefined()
  })

  it('have no body in the response to a HEAD', async () => {
    expect(await get('/_dashboard/', { method: 'HEAD' })?.text()).toBe('')
  })

  it('are missing where the page was not built', async () => {
    await expect(createDashboard({ folder: join(folder, 'none') })).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
