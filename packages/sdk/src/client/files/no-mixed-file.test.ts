import { ModelRunError } from '@modelrun/kit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFileHost, type FileFault, type HostedFile } from '../../../test/file-host.ts'
import { type Step, text } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'

/** Versions of the file: each byte names its version and its place, so that a mixture of two would be seen. */
const VERSIONS = ['a', 'b', 'c'].map(
  (name) => (length: number) => Array.from({ length }, (_, index) => `${name}${index % 10}`).join(''),
)

/** A 206 that was not asked for. */
const wrongRange: Step = () => new Response('zzzz', { status: 206, headers: { 'content-range': 'bytes 1-4/5' } })

const cuts = fc.record({
  bytes: fc.nat(40),
  how: fc.constantFrom<('breaks' | 'ends' | 'stalls')[]>('breaks', 'ends', 'stalls'),
})
const faults = fc.oneof(
  { weight: 4, arbitrary: cuts },
  fc.constantFrom<FileFault[]>(text(503, ''), text(416, ''), wrongRange, text(404, '')),
)

const hosts = fc.record({
  hasLength: fc.boolean(),
  isCompressed: fc.boolean(),
  lengths: fc.array(fc.nat(20), { minLength: 3, maxLength: 3 }),
  faults: fc.array(faults, { maxLength: 6 }),
  /** Before which requests the file changes. */
  changes: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 2 }),
})

test.each(['stream', 'bytes'] as const)(
  'a download (%s) gives one version of the file, whole, or fails: never a mixture, whatever the host does',
  async (how) => {
    let complete = 0
    const property = fc.asyncProperty(hosts, async ({ lengths, changes, isCompressed, ...host }) => {
      // Without a length, a body that ends early cannot be detected.
      const hidesCuts = isCompressed || !host.hasLength
      if (hidesCuts && host.faults.some((fault) => 'how' in fault && fault.how === 'ends')) return
      const contents = VERSIONS.map((write, index) => write(lengths[index] ?? 0))
      const file: HostedFile = { ...host, content: '' }
      let version = 0
      let requests = 0
      const show = () => {
        file.content = contents[version] ?? ''
        file.headers = isCompressed ? { 'content-encoding': 'gzip' } : {}
      }
      show()
      const serve = createFileHost(file)
      const { client, clock } = createTestClient([
        (request) => {
          if (changes.includes(requests++)) version++
          show()
          return serve(request)
        },
      ])
      const download = client.files
        .download('https://files.example.com/0', { maxRetries: 3 })
        .then((open) =>
          how === 'stream'
            ? new Response(open.stream).text()
            : open.bytes().then((all) => new TextDecoder().decode(all)),
        )
      const [outcome] = await clock.run(Promise.allSettled([download]))
      expect(clock.timerCount).toBe(0)
      if (outcome.status === 'rejected') {
        if (!(outcome.reason instanceof ModelRunError)) throw outcome.reason
      } else {
        expect(contents).toContain(outcome.value)
        complete++
      }
    })
    await fc.assert(property, { numRuns: 400 })
    expect(complete).toBeGreaterThan(50)
  },
)
