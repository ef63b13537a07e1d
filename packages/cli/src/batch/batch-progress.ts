import { StatusLine, type Terminal } from '../terminal/terminal.ts'
import { durationText, priceText } from '../terminal/text.ts'
import type { RowState } from './report.ts'

const BAR = 20
const LINE_EVERY_MS = 10_000

export interface BatchStart {
  total: number
  /** Rows that ended in an earlier process: they say nothing about the speed. */
  ended: number
  /** Rows that were sent by earlier processes: `credits` has them already. */
  sent: number
  price: number
  credits: number
  /** What earlier commands left waiting, and this file does not have: it is sent, too. */
  left: { runs: number; credits: number }
}

export class BatchProgress {
  readonly #start: BatchStart
  readonly #line: StatusLine
  readonly #startedAt = performance.now()
  readonly #counts = new Map<RowState, number>()
  #done = 0
  #newlyPaid = 0

  constructor(terminal: Terminal, start: BatchStart) {
    this.#start = start
    this.#line = new StatusLine(terminal, () => this.#text(terminal.drawsStatus), LINE_EVERY_MS)
  }

  add(state: RowState): void {
    this.#done += 1
    if (this.#done > this.#start.sent && state !== 'rejected') this.#newlyPaid += 1
    this.#counts.set(state, (this.#counts.get(state) ?? 0) + 1)
  }

  end(): void {
    this.#line.end()
  }

  #text(hasBar: boolean): string {
    const { total, price, credits } = this.#start
    const seconds = (performance.now() - this.#startedAt) / 1_000
    const perSecond = Math.max(0, this.#done - this.#start.ended) / seconds
    const msLeft = ((total - this.#done) / perSecond) * 1_000
    const filled = Math.floor((this.#done / total) * BAR)
    const bad = [...this.#counts].filter(([state]) => state !== 'succeeded')
    const parts = [
      `${this.#done} of ${total}`,
      ...bad.map(([state, count]) => `${count} ${state}`),
      `${perSecond.toFixed(1)}/s`,
      priceText(credits + this.#newlyPaid * price),
      ...(perSecond > 0 ? [`${durationText(msLeft)} left`] : []),
    ]
    return `${hasBar ? `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ` : ''}${parts.join(' · ')}`
  }
}
