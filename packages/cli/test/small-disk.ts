import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memberOf } from '@modelrun/kit'

/** A disk in memory that can be filled. */
export interface SmallDisk {
  folder: string
  /** Leaves no space. */
  fill(): void
  /** Gives the space back. */
  free(): void
  remove(): void
}

export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'modelrun-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'pipe' })
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    fill: () => {
      for (let bytes = 1024 * 1024; bytes >= 4096; bytes /= 2) appendUntilFull(filler, bytes)
    },
    free: () => rmSync(filler),
    remove: () => {
      execFileSync('umount', ['--lazy', folder])
      rmSync(folder, { recursive: true })
    },
  }
}

function appendUntilFull(path: string, bytes: number): void {
  const chunk = Buffer.alloc(bytes, 1)
  for (;;) {
    try {
      writeFileSync(path, chunk, { flag: 'a' })
    } catch (error) {
      if (memberOf(error, 'code') === 'ENOSPC') return
      throw error
    }
  }
}

/** How to say in a title why tests with a small disk are left out; empty where a disk can be mounted. */
export function whyNoDisk(): string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return ' (left out: only root on Linux can mount a disk)'
  try {
    mountSmallDisk(1).remove()
    return ''
  } catch {
    return ' (left out: a disk cannot be mounted here)'
  }
}
