import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Mounts a disk in memory that can be filled. @throws Error where it cannot be mounted */
export function mountSmallDisk(megabytes: number) {
  const folder = mkdtempSync(join(tmpdir(), 'modelrun-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'pipe' })
  const filler = join(folder, 'filler')
  return {
    folder,
    /** Leaves no space. */
    fill: () => void spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096']),
    /** Gives the space back. */
    free: () => rmSync(filler),
    remove: () => {
      execFileSync('umount', ['--lazy', folder])
      rmSync(folder, { recursive: true })
    },
  }
}

/** How to say in a title why tests with a small disk are left out; empty where a disk can be mounted. */
export function whyNoDisk(): string {
  try {
    mountSmallDisk(1).remove()
    return ''
  } catch {
    return ' (left out: only root on Linux can mount a disk)'
  }
}
