import type { Job } from 'modelrun'

export function showLine(text: string): void {
  console.log(text)
}

/** A line that shows the job's status and the seconds since the start, until the job ends. */
export function showProgress(): { show(job: Job): void; end(): void } {
  const startedAt = Date.now()
  let status = 'submitting'
  const draw = () => {
    const line = `  ${status} for ${((Date.now() - startedAt) / 1000).toFixed(1)} s`
    if (process.stdout.isTTY) process.stdout.write(`\r${line}`)
    else console.log(line)
  }
  const timer = process.stdout.isTTY ? setInterval(draw, 100) : undefined
  return {
    show: (job) => {
      status = job.status
      draw()
    },
    end: () => {
      clearInterval(timer)
      if (process.stdout.isTTY) process.stdout.write('\n')
    },
  }
}

/** Says how many credits were spent since the last call. */
export function startCredits(readCredits: () => number): { spent(): number } {
  let last = readCredits()
  return {
    spent: () => {
      const spent = last - readCredits()
      last -= spent
      return spent
    },
  }
}
