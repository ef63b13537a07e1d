import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { describe, expect, it } from 'vitest'
import { cli, useCli } from '../../test/cli-harness.ts'

useCli()

function send(url: string, key: string, input: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return fetch(`${url}/v1/models/aurora-image/run`, { method: 'POST', headers, body: JSON.stringify({ input }) })
}

describe('modelrun logs', () => {
  it('shows each request with its status, the reason, and what to do', async () => {
    expect(await cli.run(['logs'])).toEqual({ code: 0, stdout: '', stderr: '' })
    await send(cli.url, cli.server.apiKey, { promt: 'a fox' })
    await send(cli.url, 'sk_test_unknown', {})
    const { stdout } = await cli.run(['logs'])
    expect(stdout).toMatch(
      /^[\d:.]{12} {2}POST \/v1\/models\/aurora-image\/run {2}400 [A-Z_]+ {2}\d+ ms\n +\S.*Did you mean prompt\?/,
    )
    expect(stdout).toMatch(/ 401 UNAUTHORIZED /)
    const { events } = await cli.events('logs')
    expect(events).toMatchObject([
      { type: 'request', status: 400, path: '/v1/models/aurora-image/run' },
      { status: 401 },
    ])
  })

  it('follows a service with --follow, also when it was started again, until Ctrl-C', async () => {
    let server = createReferenceServer()
    let listening = await listen(server)
    const { port } = new URL(listening.url)
    const env = { MODELRUN_BASE_URL: listening.url, MODELRUN_API_KEY: undefined }
    await send(listening.url, server.apiKey, { wrong: 1 })
    const logs = cli.start(['logs', '-f'], { env })
    const lines = () => logs.printed.stdout.match(/POST/g)?.length ?? 0
    await expect.poll(() => logs.printed.stderr).toContain('Ctrl-C ends.')
    await send(listening.url, server.apiKey, { wrong: 2 })
    await expect.poll(lines).toBe(2)
    await listening.close()
    await server.close()
    await expect.poll(() => logs.printed.stderr).toContain('The service is gone.')
    server = createReferenceServer()
    listening = await listen(server, { port: Number(port) })
    await send(listening.url, server.apiKey, { wrong: 3 })
    await expect.poll(() => logs.printed.stderr).toContain('The service is back.')
    await expect.poll(lines).toBe(3)
    logs.child.kill('SIGINT')
    expect((await logs.ended).code).toBe(0)
    expect(lines()).toBe(3)
    await listening.close()
    await server.close()
  })

  it('ends with exit code 2 when there is no such service', async () => {
    const { code, stderr } = await cli.run(['logs', '-f'], { env: { MODELRUN_BASE_URL: 'http://127.0.0.1:48989' } })
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/responds at http:\/\/127\.0\.0\.1:48989: .*ECONNREFUSED/),
    ])
  })
})
