import { describe, expect, test } from 'vitest'
import { recordLog } from '../../../test/test-client.ts'
import { createLog, type Logger, notify } from './logger.ts'

describe('createLog', () => {
  test.each([
    ['off', []],
    ['error', ['error']],
    ['warn', ['warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['debug', ['debug', 'info', 'warn', 'error']],
  ] as const)('with the level %s lets through %j', (level, expected) => {
    const { lines, logger } = recordLog()
    const log = createLog(logger, level)
    for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name]('x')
    expect(lines).toEqual(expected.map((name) => `${name} modelrun: x`))
  })

  test.each([
    ['escape sequences', '\u001b[2Jgone', ' [2Jgone'],
    ['control characters of 8 bits', 'r\u009b8m', 'r 8m'],
    ['line breaks', 'job_1\r\nmodelrun: fine\u2028', 'job_1 modelrun: fine '],
    ['marks of direction', 'end\u202e', 'end '],
    ['API keys', 'cannot call with sk_test_0123456789abcdef', 'cannot call with [redacted]'],
  ])('writes no %s', (_, message, line) => {
    const { lines, logger } = recordLog()
    const log = createLog(logger, 'warn')
    log.warn(message)
    notify(log, 'onStatus', () => {
      throw message
    })
    expect(lines).toEqual([
      `warn modelrun: ${line}`,
      `warn modelrun: the callback \`onStatus\` failed; its run is not affected: ${line}`,
    ])
  })

  test('calls the logger as a method, which classes need', () => {
    class ClassLogger implements Logger {
      readonly lines: string[] = []
      debug(message: string) {
        this.lines.push(message)
      }
      info = this.debug
      warn = this.debug
      error = this.debug
    }
    const logger = new ClassLogger()
    createLog(logger, 'debug').debug('x')
    expect(logger.lines).toEqual(['modelrun: x'])
  })
})
