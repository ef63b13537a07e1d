import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/** Calls with an element whenever its size has changed, and once at the start. */
export function useResize(ref: RefObject<HTMLElement | null>, changed: (element: HTMLElement) => void): void {
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return
    const observer = new ResizeObserver(() => changed(element))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
}
