import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/** Calls with an element whenever its size has changed, and once at the start. */
export function useResize(ref: RefObject<HTMLElement | null>, changed: (element: HTMLElement) => void): void {
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => ref.current && changed(ref.current))
    if (ref.current) observer.observe(ref.current)
    return () => observer.disconnect()
  }, [])
}
