import { beforeEach } from 'vitest'
import { folderForTest } from '../../kit/test/temp-folder.ts'
import type { ProducedOutput } from '../src/client/files/save-files.ts'
import { systemClock } from '../src/shared/clock.ts'
import type { Step } from './scripted-service.ts'
import { createTestClient } from './test-client.ts'

/** What a job produced: files with the urls `/0.png`, `/1.png` and so on. */
export function resultOf(job_id: string, count = 1): ProducedOutput {
  const items = Array.from({ length: count }, (_, index) => ({
    type: 'image',
    url: `https://files.example.com/${index}.png`,
  }))
  return { job_id, output: { type: 'image', items } }
}

/** A client whose files come from hosts by the number in their url. Its retries do not wait. */
export function createSavingClient(...hosts: Step[]) {
  const serve: Step = (request) => {
    const host = hosts[Number(/\d+/.exec(new URL(request.url).pathname))]
    return host ? host(request) : new Response(null, { status: 404 })
  }
  // The file system works on the system's clock.
  return createTestClient([serve], { clock: systemClock, random: () => 0 })
}

/** A folder for each test of a file. */
export function folderOfEachTest() {
  let path = ''
  beforeEach(() => {
    path = folderForTest()
  })
  return {
    get path() {
      return path
    },
    /** What is in it, with content. */
    files: async (): Promise<Record<string, string>> => {
      const { readdir, readFile } = process.getBuiltinModule('node:fs/promises')
      const names = await readdir(path)
      const read = async (name: string) => [name, await readFile(`${path}/${name}`, 'utf8')] as const
      return Object.fromEntries(await Promise.all(names.map(read)))
    },
  }
}
