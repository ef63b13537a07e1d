import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../code-blocks.ts'

const HERE = import.meta.dirname
const SHARED = ['order.ts', 'under-faults.ts', 'program.ts']

/**
 * Copies a recipe as it is, with a batch under faults in place of its own, and the program that starts it.
 *
 * @returns the path of the program
 */
export async function copyRecipe(name: string, folder: string): Promise<string> {
  const copied = join(folder, name)
  await mkdir(folder, { recursive: true })
  for (const from of ['examples/engines', 'lab/engines/programs']) {
    await cp(join(ROOT, from, name), copied, { recursive: true })
  }
  await cp(join(HERE, 'faulty-runs.ts'), join(folder, 'runs.ts'))
  for (const file of SHARED) await cp(join(HERE, file), join(folder, file))
  return join(copied, 'program.ts')
}
