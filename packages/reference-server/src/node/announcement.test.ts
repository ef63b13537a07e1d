import { describe, expect, it } from 'vitest'
import { announcement, type ReadyServer } from './announcement.ts'
import { readCommand, type ServeCommand } from './cli-options.ts'

const READY: ReadyServer = { url: 'http://127.0.0.1:4010', key: 'sk_test_1', controlToken: 'token_1' }

function announce(...args: string[]) {
  return announceWith(READY, args)
}

function announceWith(ready: ReadyServer, args: string[]) {
  return announcement(ready, readCommand(args) as ServeCommand) // no argument here asks for help or the version
}

describe('announcement', () => {
  it('gives the url, the key and a curl line', () => {
    const lines = announce().split('\n')
    expect(lines).toContain('  url    http://127.0.0.1:4010')
    expect(lines).toContain('  key    sk_test_1')
    const curl = "curl 'http://127.0.0.1:4010/v1/models' -H 'authorization: Bearer sk_test_1'"
    expect(lines).toContain(`Try it: ${curl}`)
  })

  it.each([
    [[], 'real time'],
    [['--scale', '60'], '60 times as fast as real time'],
    [
      ['--clock', 'manual'],
      'is paused until POST /_reference/clock moves it: a run without sync: false waits for that',
    ],
    [['--clock', 'auto'], 'skips every wait'],
  ])('says how time passes with %j', (args, text) => {
    expect(announce(...args)).toContain(`  clock  ${text}\n`)
  })

  it.each(['0.0.0.0', '::', '192.168.0.4', 'server.example'])(
    'gives the token of the control API when %s lets other machines in',
    (host) => {
      expect(announce('--host', host)).toContain('x-reference-token: token_1')
    },
  )

  it.each(['127.0.0.1', '127.8.8.8', 'localhost', '::1', '[::1]'])('keeps quiet about the token on %s', (host) => {
    expect(announce('--host', host)).not.toContain('token_1')
  })

  it('gives the url of the dashboard, where there is one', () => {
    const dashboardUrl = 'http://127.0.0.1:4010/_dashboard/'
    expect(announceWith({ ...READY, dashboardUrl }, [])).toContain(`  page   ${dashboardUrl}\n`)
    expect(announce()).not.toContain('page')
  })
})
