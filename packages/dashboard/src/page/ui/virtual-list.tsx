import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useResize } from './use-resize.ts'

interface VirtualListProps {
  length: number
  /** Height of each row in pixels. */
  rowHeight: number
  /** Name for screen readers. */
  label: string
  columns: readonly string[]
  row: (index: number) => ComponentChildren
}

/** So many rows beyond what is visible are there, so that scrolling shows no gap. */
const OVERSCAN = 6

/** A table of any length, of which only the rows that are visible exist. */
export function VirtualList({ length, rowHeight, label, columns, row }: VirtualListProps) {
  const view = useSignal({ top: 0, height: 600 })
  const element = useRef<HTMLDivElement>(null)
  const measure = () => {
    const { scrollTop = 0, clientHeight = 600 } = element.current ?? {}
    view.value = { top: scrollTop, height: clientHeight }
  }
  useResize(element, measure)
  const { top, height } = view.value
  const first = Math.max(0, Math.floor(top / rowHeight) - OVERSCAN)
  const last = Math.min(length, Math.ceil((top + height) / rowHeight) + OVERSCAN)
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index)
  return (
    <div class="table" role="table" aria-label={label} aria-rowcount={length + 1}>
      <div class="head" role="row" aria-rowindex={1}>
        {columns.map((name) => (
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <div class="body" role="rowgroup" tabIndex={0} ref={element} onScroll={measure} aria-label={label}>
        <div class="space" role="presentation" style={{ height: `${length * rowHeight}px` }}>
          {rows.map((index) => (
            <div
              key={index}
              class="row"
              role="row"
              aria-rowindex={index + 2}
              style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
            >
              {row(index)}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}
