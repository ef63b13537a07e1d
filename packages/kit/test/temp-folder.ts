import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

type AtEnd = (clean: () => void) => void

function newFolder(atEnd: AtEnd): string {
  const folder = mkdtempSync(join(tmpdir(), 'modelrun-test-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A folder that is gone after the test that runs. */
export const folderForTest = () => newFolder(onTestFinished)

/** A folder that is gone after the tests of the file, or of the `describe`, that makes it. */
export const folderForFile = () => newFolder(afterAll)
